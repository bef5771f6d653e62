import type { IdentityDigests } from '@windlass/contracts/internal/internal.ts'
import type { KycReport } from '@windlass/kyc-providers/provider.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { createHmac, randomBytes } from 'node:crypto'
import type { PlatformDb } from '../tables.ts'

/*
 * Who signs in with two addresses is two customers, and one person (docs/adr/0164). What tells people apart is never kept in
 * clear: digests under a key that the database does not have.
 */

const KEY_CONTEXT = 'identity-key'

export const sealedIdentityKey: SealedColumn = {
  table: 'identity_key',
  column: 'sealed',
  key: ['only_one'],
  contextOf: () => KEY_CONTEXT,
}

/** It outlives the keys that encrypt it: a document stays the same when they rotate. */
async function identityKey(tx: PlatformDb, sealer: Sealer): Promise<Buffer> {
  const find = () => tx.selectFrom('identity_key').select('sealed').executeTakeFirst()
  let row = await find()
  if (!row) {
    await tx
      .insertInto('identity_key')
      .values({ sealed: sealer.seal(randomBytes(32).toString('base64'), KEY_CONTEXT) })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    row = await find()
  }
  if (!row) throw new Error('the key of identities is missing')
  return Buffer.from(sealer.open(row.sealed, KEY_CONTEXT), 'base64')
}

/** The words of a name in one order, without accents: documents of two countries write it differently. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .toSorted()

type Identified = Pick<KycReport, 'customerId' | 'sessionId' | 'verifiedName' | 'identity'>

/**
 * A session that is approved tells its customer apart. One that is declined later takes that back: the document was
 * another’s.
 *
 * @param status what the provider said last of the session, which a report that came late is not.
 */
export async function noteIdentity(
  tx: PlatformDb,
  sealer: Sealer,
  { status, ...of }: Identified & Pick<KycReport, 'status'>,
): Promise<void> {
  const { customerId, sessionId } = of
  if (status === 'ACCEPTED') await keepIdentity(tx, sealer, of)
  if (status !== 'REJECTED') return
  await tx
    .deleteFrom('identity_digests')
    .where('customer_id', '=', customerId)
    .where('session_id', 'in', [sessionId, KEPT_BEFORE])
    .execute()
}

/** The session of what an earlier release kept. */
const KEPT_BEFORE = ''

/** Keeps what tells an accepted customer apart, beside what was kept of an earlier session. */
export async function keepIdentity(
  tx: PlatformDb,
  sealer: Sealer,
  { customerId, sessionId, verifiedName, identity }: Identified,
): Promise<void> {
  if (identity === null) return
  const { document, birthDate } = identity
  const words = wordsOf(verifiedName ?? '')
  const known = [
    ...(document
      ? [{ kind: 'document' as const, of: [document.type, document.country, document.number] }]
      : []),
    ...(birthDate && words.length > 1 ? [{ kind: 'name' as const, of: [...words, birthDate] }] : []),
  ]
  if (known.length === 0) return
  const key = await identityKey(tx, sealer)
  const digestOf = (of: unknown) => createHmac('sha256', key).update(JSON.stringify(of)).digest()
  await tx
    .insertInto('identity_digests')
    .values(
      known.map(({ kind, of }) => ({
        ...{ customer_id: customerId, session_id: sessionId, kind, digest: digestOf([kind, ...of]) },
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

export const NOTHING_KNOWN: IdentityDigests = { documents: [], names: [] }

const MOST = 50

/**
 * What an anchor compares its customers by, in digests of its own. With the documents of everyone who is the same person by
 * one of them: customers whom another account, perhaps of another anchor, ties together have one in common.
 */
export async function identityFor(
  db: PlatformDb,
  anchorId: string,
  customerId: string,
): Promise<IdentityDigests> {
  const { rows } = await sql<{ kind: 'document' | 'name'; digest: Buffer }>`
    with recursive same (id) as (
      select ${customerId}::text
      union
      select other.customer_id from same
        join identity_digests own on own.customer_id = same.id and own.kind = 'document'
        join identity_digests other on other.digest = own.digest and other.kind = 'document')
    (select distinct kind, digest from identity_digests
      where kind = 'document' and customer_id in (select id from same) order by digest limit ${MOST})
    union all
    (select distinct kind, digest from identity_digests
      where kind = 'name' and customer_id = ${customerId} order by digest limit ${MOST})`.execute(db)
  const of = (kind: 'document' | 'name') =>
    rows
      .filter(row => row.kind === kind)
      .map(({ digest }) => createHmac('sha256', digest).update(anchorId).digest('base64url'))
  return { documents: of('document'), names: of('name') }
}
