import type { RemovedKind, Retention, RetentionRules } from '@windlass/contracts/anchor/retention.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { numberedAfter } from '../../paging.ts'
import type { Tables } from '../../tables.ts'
import { type Years, yearsOf } from './countries.ts'

const LISTED = 20

type Of = Pick<Deps, 'config'>
type Version = Retention['history'][number] & { rules: Years }

export async function listRetentionRules({ config }: Of, db: Db<Tables>): Promise<Version[]> {
  const first = yearsOf(config.anchor.plan.regions)
  const rows = await db
    .selectFrom('retention_rules')
    .selectAll()
    .orderBy('version', 'desc')
    .limit(LISTED)
    .execute()
  const set = rows.map(row => ({
    version: Number(row.version),
    rules: {
      customerYears: row.customer_years,
      travelRecordYears: row.travel_record_years,
      paymentRecordYears: row.payment_record_years ?? first.paymentRecordYears,
      caseRecordYears: row.case_record_years ?? first.caseRecordYears,
    },
    ...{ by: row.by, at: row.at.toISOString() },
  }))
  return [...set, { version: 0, rules: first, by: null, at: null }]
}

export async function currentRetention(of: Of, db: Db<Tables>): Promise<Years> {
  return (await listRetentionRules(of, db))[0]?.rules ?? yearsOf(of.config.anchor.plan.regions)
}

/** What is not given stays. Throws `settings-changed` where the version is not the newest. */
export async function addRetentionRules(
  deps: Pick<Deps, 'database' | 'config'>,
  { rules, version, by }: { rules: RetentionRules; version: number; by: string },
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('retention', 0))`.execute(tx)
    const [now] = await listRetentionRules(deps, tx)
    if (now?.version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the retention meanwhile. Look at it again, then repeat your change.',
      )
    await tx
      .insertInto('retention_rules')
      .values({
        ...{ customer_years: rules.customerYears, travel_record_years: rules.travelRecordYears, by },
        payment_record_years: rules.paymentRecordYears ?? now.rules.paymentRecordYears,
        case_record_years: rules.caseRecordYears ?? now.rules.caseRecordYears,
      })
      .execute()
  })
}

/** So many years before. */
export function yearsBefore(now: Date, years: number): Date {
  const then = new Date(now)
  then.setUTCFullYear(then.getUTCFullYear() - years)
  return then
}

/** The first day, as `YYYY-MM-DD`, on which what ended then is removed. */
export function removedFrom(ended: Date, years: number): string {
  const day = new Date(ended)
  day.setUTCFullYear(day.getUTCFullYear() + years)
  day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().slice(0, 10)
}

/** What stands in the place of what retention removed. */
export const removedText = (at: Date | null): string =>
  `Removed${at ? ` on ${at.toISOString().slice(0, 10)}` : ''} by retention`

/** Whether nothing about a transaction may be removed, in a query of another table. */
export type IsHeld = (transfer: RawBuilder<string>) => RawBuilder<boolean>

/** Writes down what was removed, in the transaction that removes it. */
export async function recordRemoval(
  tx: Db<Tables>,
  removal: { kind: RemovedKind; count: number; before: Date },
): Promise<void> {
  if (removal.count > 0) await tx.insertInto('removals').values(removal).execute()
}

/** Newest first. */
export async function listRemovals(
  db: Db<Tables>,
  filter: PageQuery = { limit: 50 },
): Promise<{ id: string; createdAt: Date; removal: Retention['removals'][number] }[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('removals').selectAll()
  if (start) query = query.where(numberedAfter(start))
  const rows = await query.orderBy('id', 'desc').limit(pageSize(filter)).execute()
  return rows.map(({ id, kind, count, before, at }) => ({
    ...{ id: String(id), createdAt: at },
    removal: { kind, count, before: before.toISOString(), at: at.toISOString() },
  }))
}
