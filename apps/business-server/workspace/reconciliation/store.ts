import type { Difference, Reconciliation } from '@windlass/contracts/anchor/reconciliation.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { rowsOf, scalar, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import { after } from '../../paging.ts'
import type { DifferenceRow, Tables } from '../../tables.ts'

type Checks = NonNullable<Reconciliation['last']>['checks']

/** What a comparison found. */
export type Found = Pick<DifferenceRow, 'kind' | 'subject' | 'unit' | 'amount' | 'detail'> &
  Partial<Pick<DifferenceRow, 'said_by' | 'due_at'>>

/** Held until the transaction ends, so that comparisons are recorded one after the other. */
export async function lockReconciliation(tx: Db<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('reconciliation', 0))`.execute(tx)
}

export async function addReconciliation(tx: Db<Tables>, by: string, checks: Checks): Promise<void> {
  await tx
    .insertInto('reconciliations')
    .values({ by, checks: JSON.stringify(checks) })
    .execute()
  // Differences are kept, and the last comparison of each day; what each hour compared is read for a while only.
  await sql`delete from reconciliations r where at < now() - interval '90 days' and exists (
    select 1 from reconciliations o where o.at::date = r.at::date and o.id > r.id)`.execute(tx)
}

/** When the last comparison is an hour ago; long ago where there was none. */
export const reconciliationDueAt = sql<Date>`
  coalesce((select case when at <= now() then at + interval '1 hour' end from reconciliations order by id desc limit 1), 'epoch')`

export async function lastReconciliation(db: Db<Tables>): Promise<Reconciliation['last']> {
  const query = db.selectFrom('reconciliations').selectAll().orderBy('id', 'desc').limit(1)
  const row = await query.executeTakeFirst()
  return row ? { at: row.at.toISOString(), by: row.by, checks: row.checks } : null
}

/**
 * Notes a difference. One that is open is the same while its subject is; one that was resolved stays so until its amount
 * changes.
 */
export async function noteDifference(tx: Db<Tables>, found: Found): Promise<void> {
  const { kind, subject, unit, amount, detail, said_by = null, due_at = null } = found
  const of = tx
    .selectFrom('reconciliation_differences')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('unit', '=', unit)
  const latest = await of.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const seen = { last_seen_at: sql<Date>`date_trunc('milliseconds', clock_timestamp())` }
  const isSame = latest && parseAmount(latest.amount) === parseAmount(amount)
  if (latest?.state === 'open' || (latest?.state === 'resolved' && isSame)) {
    await tx
      .updateTable('reconciliation_differences')
      .set(latest.state === 'open' ? { ...seen, amount, detail, said_by, due_at } : seen)
      .where('id', '=', latest.id)
      .execute()
    return
  }
  await tx
    .insertInto('reconciliation_differences')
    .values({ ...found, assigned_to: null, ended_by: null, ended_at: null, reason: null })
    .execute()
}

/** Payments by a person's word of which people said that the rail has them, as `rail:id`. */
export async function confirmedByPeople(db: Db<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('reconciliation_differences')
    .select('subject')
    .where('kind', '=', 'payment-unconfirmed')
    .where('state', '=', 'resolved')
    .where('resolution', 'in', ['timing', 'provider-error', 'decided-elsewhere'])
    .execute()
  return new Set(rows.map(({ subject }) => subject))
}

/** Ends open differences of these kinds that were not found again. */
export async function endOthers(
  tx: Db<Tables>,
  kinds: readonly Found['kind'][],
  found: readonly Found[],
): Promise<void> {
  if (kinds.length === 0) return
  const keys = found.map(({ kind, subject, unit }) => `${kind} ${unit} ${subject}`)
  await tx
    .updateTable('reconciliation_differences')
    .set({ state: 'gone', ended_at: sql<Date>`date_trunc('milliseconds', clock_timestamp())` })
    .where('state', '=', 'open')
    .where('kind', 'in', kinds)
    .where(sql<boolean>`kind || ' ' || unit || ' ' || subject <> all(${keys}::text[])`)
    .execute()
}

export const countOpen: Scalar<number> = scalar(
  sql<number>`select count(*) from reconciliation_differences where state = 'open'`,
  Number,
)

/** Open differences that are an alarm. The treasury's are watched from minute to minute besides. */
export const countPressing: Scalar<number> = scalar(
  sql<number>`
    select count(*) from reconciliation_differences
    where state = 'open' and kind <> 'treasury' and coalesce(due_at, '-infinity') <= now()`,
  Number,
)

/** Differences that people resolved, and that the last comparison found all the same. */
export const countResolvedThere: Scalar<number> = scalar(
  sql<number>`select count(*) from reconciliation_differences where state = 'resolved'
    and last_seen_at > coalesce((select at from reconciliations order by id desc offset 1 limit 1), 'epoch')`,
  Number,
)

/** Open differences of the treasury that were found at least so many milliseconds ago. */
export const treasuryDifferencesOlderThan = (
  ms: number,
): Scalar<Pick<DifferenceRow, 'subject' | 'amount'>[]> =>
  rowsOf(sql`
    select subject, amount::text from reconciliation_differences
    where state = 'open' and kind = 'treasury' and created_at <= now() - ${ms} * interval '1 millisecond'`)

/** Since when differences of a kind are open, by subject. */
export async function openSince(db: Db<Tables>, kind: Found['kind']): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('reconciliation_differences')
    .select(['subject', 'created_at'])
    .where('kind', '=', kind)
    .where('state', '=', 'open')
    .execute()
  return new Map(rows.map(({ subject, created_at }) => [subject, created_at]))
}

export function listDifferences(
  db: Db<Tables>,
  { status, ...page }: PageQuery & { status?: DifferenceRow['state'] },
): Promise<DifferenceRow[]> {
  const start = pageStart(page)
  let query = db.selectFrom('reconciliation_differences').selectAll()
  if (status) query = query.where('state', '=', status)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

type Change =
  | { assigned_to: string | null }
  | { proposed: string | null }
  | {
      state: 'resolved'
      ended_by: string
      reason: string
      resolution: NonNullable<DifferenceRow['resolution']>
      proposed: null
    }

/** Throws `difference-not-found`. */
export async function lockDifference(tx: Db<Tables>, id: string): Promise<DifferenceRow> {
  const query = tx
    .selectFrom('reconciliation_differences')
    .selectAll()
    .where(sql`id::text`, '=', id)
  const row = await query.forUpdate().executeTakeFirst()
  if (!row) throw new Problem('difference-not-found', 'There is no difference with this id.')
  return row
}

/** Changes an open difference. Throws `difference-not-found`, `difference-ended`. */
export async function changeOpen(db: Db<Tables>, id: string, change: Change): Promise<DifferenceRow> {
  const ended =
    'state' in change ? { ended_at: sql<Date>`date_trunc('milliseconds', clock_timestamp())` } : {}
  const changed = await db
    .updateTable('reconciliation_differences')
    .set({ ...change, ...ended })
    .where(sql`id::text`, '=', id)
    .where('state', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  if (changed) return changed
  const query = db.selectFrom('reconciliation_differences').select('state')
  const row = await query.where(sql`id::text`, '=', id).executeTakeFirst()
  if (!row) throw new Problem('difference-not-found', 'There is no difference with this id.')
  throw new Problem(
    'difference-ended',
    row.state === 'gone'
      ? 'A later comparison did not find the difference any more.'
      : 'The difference is resolved already.',
  )
}

export const differenceForm = (row: DifferenceRow): Difference => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  unit: row.unit,
  amount: formatAmount(parseAmount(row.amount)),
  detail: row.detail,
  status: row.state,
  foundAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
  assignedTo: row.assigned_to,
  endedBy: row.ended_by,
  endedAt: row.ended_at?.toISOString() ?? null,
  reason: row.reason,
  resolution: row.resolution ?? null,
  saidBy: row.said_by,
  dueAt: row.due_at?.toISOString() ?? null,
  pending: row.state === 'open' ? (row.proposed ?? null) : null,
})
