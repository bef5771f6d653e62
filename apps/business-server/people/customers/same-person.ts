import type { IdentityDigests } from '@windlass/contracts/internal/internal.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../../tables.ts'

/*
 * Who signs in with two addresses is two customers of the platform, and one person (docs/adr/0164). Customers with a document in
 * common are that person wherever this anchor counts or refuses; those with a name and a birthday in common are shown.
 */

/**
 * What the platform says of a customer now is all that counts: a document that was declined since ties nobody any more. Of who
 * deleted their account or withdrew access it says nothing, and what it said before stays.
 */
export async function keepIdentity(
  tx: Db<Tables>,
  centralId: string,
  identity: IdentityDigests | undefined,
): Promise<void> {
  const rows = [
    ...(identity?.documents ?? []).map(digest => ({ kind: 'document' as const, digest })),
    ...(identity?.names ?? []).map(digest => ({ kind: 'name' as const, digest })),
  ]
  if (identity === undefined) return
  await tx
    .deleteFrom('identity_digests')
    .where('central_id', '=', centralId)
    .where(sql<boolean>`digest <> all(${rows.map(({ digest }) => digest)}::text[])`)
    .execute()
  if (rows.length === 0) return
  await tx
    .insertInto('identity_digests')
    .values(rows.map(row => ({ central_id: centralId, ...row })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** The ids at the platform of one person, this one among them, always in the same order. */
export async function samePersons(db: Db<Tables>, centralId: string): Promise<[string, ...string[]]> {
  const [first = centralId, ...others] = await withSamePersons(db, [centralId])
  return [first, ...others]
}

/** The ids of these and of everyone who is the same person as one of them. */
export async function withSamePersons(db: Db<Tables>, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive same (id) as (
      select unnest(${[...ids]}::text[])
      union
      select other.central_id from same
        join identity_digests own on own.central_id = same.id and own.kind = 'document'
        join identity_digests other on other.digest = own.digest and other.kind = 'document')
    select id from same order by id collate "C"`.execute(db)
  return rows.map(({ id }) => id)
}

/** The customers here that are proven to be one of these persons'. */
export const customersOfPersons = (
  db: Db<Tables>,
  ids: readonly string[],
): Promise<{ id: string; account: string; memo: string | null }[]> =>
  db.selectFrom('customers').select(['id', 'account', 'memo']).where('central_id', 'in', ids).execute()

interface Alike {
  id: string
  account: string
  memo: string | null
  by: 'document' | 'name'
}

const MOST = 50

/** Other customers here who are, or may be, the same person. */
export async function customersAlike(db: Db<Tables>, centralId: string | null): Promise<Alike[]> {
  if (centralId === null) return []
  const same = await samePersons(db, centralId)
  const { rows } = await sql<Alike>`
    select id, account, memo, case when central_id = any(${same}::text[]) then 'document' else 'name' end as by
    from customers where central_id <> ${centralId} and (central_id = any(${same}::text[]) or central_id in (
      select other.central_id from identity_digests own
        join identity_digests other on other.digest = own.digest and other.kind = 'name'
      where own.central_id = ${centralId} and own.kind = 'name'))
    order by created_at desc, id limit ${MOST}`.execute(db)
  return rows
}
