import type { ScreenedRole } from '@windlass/contracts/anchor/compliance.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { type RawBuilder, sql, type Selectable } from 'kysely'
import type { ScreenedNameTable, Tables } from '../../tables.ts'
import { moveCases } from './file-hits.ts'
import type { Facts } from './names/facts.ts'
import { wordsOf } from './names/words.ts'

export interface Subject {
  kind: 'customer' | 'transaction' | 'payout'
  id: string
}

export interface Party {
  /** Whom a hit is about: a customer for all their transactions, anyone else for this one. */
  subject: Subject
  role: ScreenedRole
  /** Null: not known. What was recorded of the subject before counts. */
  name: string | null
  /** What else the one who has the name told. */
  facts?: Facts | null
  /** Which owner of the customer it is. */
  ownerId?: string
}

export type NameRow = Selectable<ScreenedNameTable>

type KeyOfName = Pick<NameRow, 'subject_kind' | 'subject_id' | 'role'>

/** What a name is encrypted for. */
const contextOf = ({ subject_kind, subject_id, role }: KeyOfName) =>
  `screened-name:${subject_kind}:${subject_id}:${role}`
const contextOfFacts = (key: KeyOfName) => `facts of ${contextOf(key)}`

export const sealedScreenedNames = sealedColumn({
  ...{ table: 'screened_names', column: 'sealed' },
  key: ['id', 'subject_kind', 'subject_id', 'role'],
  contextOf: row => contextOf(row as NameRow),
})

export const sealedFacts = sealedColumn({
  ...{ table: 'screened_names', column: 'facts' },
  key: ['id', 'subject_kind', 'subject_id', 'role'],
  contextOf: row => contextOfFacts(row as NameRow),
})

const sealFacts = (sealer: Sealer, key: KeyOfName, facts: Facts | null): Buffer | null =>
  facts && sealer.seal(JSON.stringify(facts), contextOfFacts(key))

export const openFacts = (sealer: Sealer, row: KeyOfName & Pick<NameRow, 'facts'>): Facts | null =>
  row.facts && (JSON.parse(sealer.open(row.facts, contextOfFacts(row))) as Facts)

export const openName = (
  sealer: Sealer,
  row: Pick<NameRow, 'subject_kind' | 'subject_id' | 'role' | 'sealed'>,
): string => (row.sealed ? sealer.open(row.sealed, contextOf(row)) : '')

/** Records a name so that it is compared with the lists, now and when they change. A name without letters is none. */
export async function recordName(
  tx: Db<Tables>,
  sealer: Sealer,
  { subject: { kind, id }, role, name, facts = null, ownerId }: Party,
): Promise<void> {
  if (name === null || wordsOf(name).length === 0) return
  const key = { subject_kind: kind, subject_id: id, role, owner_id: ownerId ?? null }
  const before = await tx
    .selectFrom('screened_names')
    .selectAll()
    .where('subject_kind', '=', kind)
    .where('subject_id', '=', id)
    .where('role', '=', role)
    .where('owner_id', 'is not distinct from', key.owner_id)
    .where('replaced_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (before && openName(sealer, before) === name) {
    if (JSON.stringify(openFacts(sealer, before)) === JSON.stringify(facts)) return
    await tx
      .updateTable('screened_names')
      .set({ facts: sealFacts(sealer, before, facts), compared: '0' })
      .where('id', '=', before.id)
      .execute()
    return
  }
  if (before) await replaceName(tx, before.id)
  await tx
    .insertInto('screened_names')
    .values({ ...key, sealed: sealer.seal(name, contextOf(key)), facts: sealFacts(sealer, key, facts) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** A name with hits is evidence. Others go: a customer can change theirs as often as they like. */
async function replaceName(tx: Db<Tables>, id: string): Promise<void> {
  const hit = await tx
    .selectFrom('screening_hits')
    .select('id')
    .where('name_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (hit)
    await tx
      .updateTable('screened_names')
      .set({ replaced_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
  else await tx.deleteFrom('screened_names').where('id', '=', id).execute()
}

/** No longer compares the name of an owner. Hits about it stay, and hold what they hold. */
export async function dropOwnerName(tx: Db<Tables>, ownerId: string): Promise<void> {
  const query = tx.selectFrom('screened_names').select('id').where('owner_id', '=', ownerId)
  const row = await query.where('replaced_at', 'is', null).forUpdate().executeTakeFirst()
  if (row) await replaceName(tx, row.id)
}

/** Whose hits hold what comes from a wallet after its customer was deleted. */
export const walletSubject = ({ account, memo }: { account: string; memo: string | null }): Subject => ({
  kind: 'customer',
  id: ['wallet', account, memo].filter(Boolean).join(' '),
})

/** The id of {@link walletSubject}, in SQL. */
export const walletSubjectId = (account: RawBuilder<string>, memo: RawBuilder<string | null>) =>
  sql<string>`concat_ws(' ', 'wallet', ${account}, nullif(${memo}, ''))`

/**
 * Removes the names of a customer who is deleted, except those with hits: they are evidence, and go on to hold what comes
 * from the same wallet, whatever name it has next.
 */
export async function forgetNames(
  tx: Db<Tables>,
  sealer: Sealer,
  customer: { id: string; account: string; memo: string | null },
): Promise<void> {
  await tx
    .deleteFrom('screened_names')
    .where('subject_kind', '=', 'customer')
    .where('subject_id', '=', customer.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('screening_hits').select('id').whereRef('name_id', '=', 'screened_names.id'))),
    )
    .execute()
  const kept = await tx
    .selectFrom('screened_names')
    .selectAll()
    .where('subject_kind', '=', 'customer')
    .where('subject_id', '=', customer.id)
    .forUpdate()
    .execute()
  const { id: subject_id } = walletSubject(customer)
  if (kept.length > 0) await moveCases(tx, customer.id, subject_id)
  for (const row of kept) {
    const key = { ...row, subject_id }
    await tx
      .updateTable('screened_names')
      .set({
        ...{ subject_id, sealed: sealer.seal(openName(sealer, row), contextOf(key)) },
        facts: sealFacts(sealer, key, openFacts(sealer, row)),
        replaced_at: sql<Date>`coalesce(replaced_at, clock_timestamp())`,
      })
      .where('id', '=', row.id)
      .execute()
  }
}

/**
 * Removes names of payers and payees, and of customers who left, that were recorded before. A name with hits leaves the hits, which
 * say when it was removed, and go on to hold what comes from the same wallet; one whose hit waits or whose case is open stays.
 *
 * @returns how many.
 */
export async function removeScreenedNames(
  tx: Db<Tables>,
  {
    before,
    now,
    limit,
    isHeld,
  }: {
    before: Date
    now: Date
    limit: number
    isHeld: (subject: { kind: RawBuilder<string>; id: RawBuilder<string> }) => RawBuilder<boolean>
  },
): Promise<number> {
  const { rows } = await sql`
    with due as (
      select n.id, exists (select from screening_hits h where h.name_id = n.id) as has_hit from screened_names n
      where n.removed_at is null and coalesce(n.replaced_at, n.recorded_at) < ${before}
        and (n.subject_kind <> 'customer' or n.replaced_at is not null)
        and not exists (select from screening_hits h where h.name_id = n.id and h.state = 'waiting')
        and not exists (select from cases c where c.state = 'open' and c.subject_kind = n.subject_kind
          and c.subject_id = n.subject_id)
        and not ${isHeld({ kind: sql`n.subject_kind`, id: sql`n.subject_id` })}
      order by n.recorded_at limit ${limit}
    ), gone as (
      delete from screened_names using due where screened_names.id = due.id and not due.has_hit returning 1
    ), emptied as (
      update screened_names set sealed = null, facts = null, removed_at = ${now},
        replaced_at = coalesce(replaced_at, ${now})
      from due where screened_names.id = due.id and due.has_hit returning 1
    ) select from gone union all select from emptied`.execute(tx)
  return rows.length
}

/** Who paid and who is paid in each transaction, as far as they were compared. */
export async function namesOfTransactions(
  db: Db<Tables>,
  sealer: Sealer,
  ids: readonly string[],
): Promise<Map<string, { role: ScreenedRole; name: string }[]>> {
  const names = new Map<string, { role: ScreenedRole; name: string }[]>()
  if (ids.length === 0) return names
  const rows = await db
    .selectFrom('screened_names')
    .selectAll()
    .where('subject_kind', '=', 'transaction')
    .where('subject_id', 'in', [...ids])
    .where('replaced_at', 'is', null)
    .orderBy('role')
    .execute()
  for (const row of rows)
    names.set(row.subject_id, [
      ...(names.get(row.subject_id) ?? []),
      { role: row.role, name: openName(sealer, row) },
    ])
  return names
}
