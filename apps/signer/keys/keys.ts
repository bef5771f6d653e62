import { StrKey } from '@stellar/stellar-sdk/base'
import type { AnchorAccounts } from '@windlass/contracts/internal/signer.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, unavailable } from '@windlass/service/http/problem.ts'
import { verifierFromAddress, type Verifier } from '@windlass/stellar/ed25519.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Deps } from '../deps.ts'
import type { BackendName, KeyRole, Tables } from '../tables.ts'

const ROLES: readonly KeyRole[] = ['issuer', 'distribution', 'signing']

/** One of an anchor's keys. */
export interface Key {
  address: string
  backend: BackendName
  label: string
  reference: string
}

/** An anchor of an existing asset has no issuing key. */
export type Keys = Readonly<Record<Exclude<KeyRole, 'issuer'>, Key> & Partial<Record<'issuer', Key>>>

const labelOf = (anchorId: string, role: string) => `${anchorId}:${role}`

/** Local keys. Of others the column has the name in their store. */
export const sealedKeys = sealedColumn({
  ...{ table: 'keys', column: 'reference', key: ['anchor_id', 'role'] },
  base64Where: "backend = 'local'",
  contextOf: ({ anchor_id, role }) => labelOf(anchor_id, role),
})

/** An anchor's keys; null until it has those of its distribution account and its signing key. */
export async function findKeys(db: Db<Tables>, anchorId: string): Promise<Keys | null> {
  const rows = await db.selectFrom('keys').selectAll().where('anchor_id', '=', anchorId).execute()
  const found = Object.fromEntries(
    rows.map(({ role, public_key, backend, reference }) => [
      role,
      { address: public_key, backend, label: labelOf(anchorId, role), reference },
    ]),
  )
  return 'distribution' in found && 'signing' in found ? (found as Keys) : null
}

/**
 * The keys of an anchor, created where they are missing. Seeds that are given become local keys, whatever the backend of
 * new ones is: no ledger account can change its key by moving.
 *
 * @param existingIssuer of an asset that the anchor does not issue
 */
export async function ensureKeys(
  deps: Deps,
  anchorId: string,
  seeds: Partial<Record<KeyRole, string>> = {},
  existingIssuer?: string,
): Promise<AnchorAccounts> {
  const { db } = deps.database
  const existing = await db.selectFrom('keys').select('role').where('anchor_id', '=', anchorId).execute()
  const needed = ROLES.filter(role => role !== 'issuer' || existingIssuer === undefined)
  for (const role of needed.filter(each => !existing.some(row => row.role === each))) {
    const label = labelOf(anchorId, role)
    const seed = seeds[role]
    if (seed !== undefined && !StrKey.isValidEd25519SecretSeed(seed)) {
      throw invalid(`import.${role}`, 'must be a seed (S…)')
    }
    const backend = seed === undefined ? deps.config.backend : 'local'
    const made =
      seed === undefined ? await create(deps, backend, label) : deps.backends.local.seal(label, seed)
    const public_key = StrKey.encodeEd25519PublicKey(made.publicKey)
    await db
      .insertInto('keys')
      .values({ anchor_id: anchorId, role, public_key, backend, reference: made.reference })
      // Another attempt may be storing the same key, which is unique by its address too.
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  const keys = await findKeys(db, anchorId)
  if (!keys) throw new Error(`anchor ${anchorId} lacks a key`)
  return accountsOf(keys, existingIssuer)
}

/** Those of the accounts that are an anchor's own, whichever's. */
export function findOwners(
  db: Db<Tables>,
  accounts: string[],
): Promise<{ account: string; role: KeyRole }[]> {
  if (accounts.length === 0) return Promise.resolve([])
  return db
    .selectFrom('keys')
    .select(['public_key as account', 'role'])
    .where('public_key', 'in', accounts)
    .execute()
}

/** The addresses of an anchor's accounts, and who issues its asset. */
export function accountsOf(
  { issuer, distribution, signing }: Keys,
  existingIssuer: string | undefined,
): AnchorAccounts {
  const issuing = existingIssuer ?? issuer?.address
  if (issuing === undefined) throw new Error(`${distribution.label} has no issuer of its asset`)
  return { issuer: issuing, distribution: distribution.address, signing: signing.address }
}

const VERIFIERS = 1_000
const verifiers = new Map<string, Verifier>()

/** Reading an address takes half as long as a check with it. */
function verifierOf({ address }: Key): Verifier {
  const verifier = verifiers.get(address) ?? verifierFromAddress(address)
  if (verifiers.size >= VERIFIERS) verifiers.clear()
  verifiers.set(address, verifier)
  return verifier
}

/** Local keys whose signatures are known to be those of their address. */
const proven = new Set<string>()

/**
 * Signs bytes with a key. Throws `dependency-unavailable` where its backend does not, or not with that key: a store is
 * elsewhere and each of its signatures is checked, of a local key the first, since the seed stays the same in this process.
 */
export async function signWith(deps: Deps, key: Key, bytes: Uint8Array): Promise<Buffer> {
  const backend = deps.backends[key.backend]
  if (!backend) throw unavailable(`The key store ${key.backend}`, new Error('it is not configured'))
  const signature = await backend.sign(key, bytes).catch((cause: unknown) => {
    deps.logger.error({ err: cause, key: key.label }, 'a key store does not sign')
    throw unavailable(`The key store ${key.backend}`, cause)
  })
  const name = `${key.address} ${key.reference}`
  if (proven.has(name) || verifierOf(key).verify(bytes, signature)) {
    if (key.backend === 'local') keep(name)
    return signature
  }
  deps.logger.error({ key: key.label }, 'a key store signed with another key')
  throw unavailable(`The key store ${key.backend}`)
}

function keep(name: string): void {
  if (proven.size >= VERIFIERS) proven.clear()
  proven.add(name)
}

async function create(deps: Deps, backend: BackendName, label: string) {
  const store = deps.backends[backend]
  if (!store) throw unavailable(`The key store ${backend}`, new Error('it is not configured'))
  return store.create(label).catch((cause: unknown) => {
    deps.logger.error({ err: cause, key: label }, 'a key store does not create a key')
    throw unavailable(`The key store ${backend}`, cause)
  })
}
