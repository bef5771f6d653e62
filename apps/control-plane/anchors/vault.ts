import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { createSealer, type Sealer } from '@windlass/service/seals/seal.ts'
import type { Selectable } from 'kysely'
import { randomBytes } from 'node:crypto'
import type { Tables } from '../tables.ts'

/** What an anchor's vault holds. Of the first three, which are ledger accounts' keys, only until the signer has them. */
export type SecretRole =
  | 'issuer'
  | 'distribution'
  | 'signing'
  | 'sep_jwt'
  | 'service'
  | 'summary'
  | 'link'
  | 'database'
  | 'database_sep'
  | 'database_business'
  | 'database_sep_b'
  | 'database_business_b'
  | 'details'
  | 'sep_details'
  | 'signer_sep'
  | 'signer_business'
  | 'test_wallet'

interface Secret {
  secret: string
  publicKey: string | null
}

type SealedSecret = Pick<Selectable<Tables['anchor_secrets']>, 'sealed' | 'public_key'>

/** One anchor's secrets. Reading and writing use the given database or transaction. */
export interface Vault {
  /** Null where there is none. */
  find(db: Db<Tables>, role: SecretRole): Promise<Secret | null>
  /** Throws where there is none. */
  get(db: Db<Tables>, role: SecretRole): Promise<Secret>
  /** The secret of that role: created the first time, the same at every later call. */
  ensure(
    db: Db<Tables>,
    role: SecretRole,
    make: () => { secret: string; publicKey?: string },
  ): Promise<Secret>
  /** Keeps another secret in place of the one of that role. */
  replace(db: Db<Tables>, role: SecretRole, make: () => { secret: string }): Promise<void>
  /** What the vault holds now, read with one query: for anyone who needs most of it. */
  readAll(db: Db<Tables>): Promise<SecretReader>
}

export type SecretReader = Pick<Vault, 'find' | 'get' | 'ensure'>

/** The additional authenticated data of a sealed data key. */
const dataKeyContext = (anchorId: string) => `data-key:${anchorId}`
export const sealedDataKeys = sealedColumn({
  ...{ table: 'anchors', column: 'data_key', key: ['id'] },
  contextOf: ({ id }) => dataKeyContext(id),
})

const secretContext = (anchorId: string, role: string) => `${anchorId}:${role}`

/** A new anchor's data key, sealed under the master key. */
export function sealNewDataKey(master: Sealer, anchorId: string): Buffer {
  return master.seal(randomBytes(32).toString('base64'), dataKeyContext(anchorId))
}

/** Opens an anchor's vault. Throws where the master key is another one. */
export function openVault(master: Sealer, anchorId: string, sealedDataKey: Buffer): Vault {
  const dataKey = Buffer.from(master.open(sealedDataKey, dataKeyContext(anchorId)), 'base64')
  const sealer = createSealer(new Map([[1, dataKey]]))

  const open = (role: string, row: SealedSecret | undefined): Secret | null =>
    row?.sealed
      ? { secret: sealer.open(row.sealed, secretContext(anchorId, role)), publicKey: row.public_key }
      : null
  const rowsOf = (db: Db<Tables>) =>
    db.selectFrom('anchor_secrets').select(['role', 'sealed', 'public_key']).where('anchor_id', '=', anchorId)
  const find: Vault['find'] = async (db, role) =>
    open(role, await rowsOf(db).where('role', '=', role).executeTakeFirst())

  const readingBy = (findBy: Vault['find']): SecretReader => ({
    find: findBy,
    get: async (db, role) => {
      const found = await findBy(db, role)
      if (!found) throw new Error(`anchor ${anchorId} has no secret "${role}"`)
      return found
    },
    ensure: async (db, role, make) => {
      const found = await findBy(db, role)
      if (found) return found
      const { secret, publicKey = null } = make()
      const sealed = sealer.seal(secret, secretContext(anchorId, role))
      await db
        .insertInto('anchor_secrets')
        .values({ anchor_id: anchorId, role, public_key: publicKey, sealed })
        .onConflict(conflict => conflict.columns(['anchor_id', 'role']).doNothing())
        .execute()
      return readingBy(find).get(db, role)
    },
  })
  return {
    ...readingBy(find),
    replace: async (db, role, make) => {
      const sealed = sealer.seal(make().secret, secretContext(anchorId, role))
      await db
        .insertInto('anchor_secrets')
        .values({ anchor_id: anchorId, role, public_key: null, sealed })
        .onConflict(conflict => conflict.columns(['anchor_id', 'role']).doUpdateSet({ sealed }))
        .execute()
    },
    readAll: async db => {
      const rows = new Map((await rowsOf(db).execute()).map(row => [row.role, row]))
      // What is missing may have been created since.
      return readingBy(async (later, role) =>
        rows.has(role) ? open(role, rows.get(role)) : find(later, role),
      )
    },
  }
}

/** The public halves of an anchor's key pairs by role. */
export async function listPublicKeys(
  db: Db<Tables>,
  anchorId: string,
): Promise<{ issuer?: string; distribution?: string; signing?: string }> {
  const rows = await db
    .selectFrom('anchor_secrets')
    .select(['role', 'public_key'])
    .where('anchor_id', '=', anchorId)
    .where('public_key', 'is not', null)
    .execute()
  return Object.fromEntries(rows.map(row => [row.role, row.public_key]))
}

/** Keeps the public halves of an anchor's ledger accounts, and nothing of the private ones. */
export async function forgetKeys(
  db: Db<Tables>,
  anchorId: string,
  accounts: { issuer: string; distribution: string; signing: string },
): Promise<void> {
  const rows = Object.entries(accounts).map(([role, public_key]) => ({
    anchor_id: anchorId,
    role,
    public_key,
  }))
  await db
    .insertInto('anchor_secrets')
    .values(rows.map(row => ({ ...row, sealed: null })))
    .onConflict(conflict => conflict.columns(['anchor_id', 'role']).doUpdateSet({ sealed: null }))
    .execute()
}

/** A random secret for machines: 43 characters of base64url, 256 bits. */
export const randomSecret = () => ({ secret: randomBytes(32).toString('base64url') })

/** A keyring of one random key: `v1:<base64 of 32 bytes>`. */
export const randomKeyring = (version = 1) => ({
  secret: `v${version}:${randomBytes(32).toString('base64')}`,
})
