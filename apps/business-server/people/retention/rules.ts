import type { Retention, RetentionRules } from '@windlass/contracts/anchor/retention.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { numberedAfter } from '../../paging.ts'
import type { Tables } from '../../tables.ts'

const LISTED = 20
/** What the directives against money laundering ask for. */
const FIRST: RetentionRules = { customerYears: 5, travelRecordYears: 5 }

export async function listRetentionRules(db: Db<Tables>): Promise<Retention['history']> {
  const rows = await db
    .selectFrom('retention_rules')
    .selectAll()
    .orderBy('version', 'desc')
    .limit(LISTED)
    .execute()
  const set = rows.map(({ version, customer_years, travel_record_years, by, at }) => ({
    version: Number(version),
    rules: { customerYears: customer_years, travelRecordYears: travel_record_years },
    ...{ by, at: at.toISOString() },
  }))
  return [...set, { version: 0, rules: FIRST, by: null, at: null }]
}

export async function currentRetention(db: Db<Tables>): Promise<RetentionRules> {
  return (await listRetentionRules(db))[0]?.rules ?? FIRST
}

/** Throws `settings-changed` where the version is not the newest. */
export async function addRetentionRules(
  { database }: Pick<Deps, 'database'>,
  { rules, version, by }: { rules: RetentionRules; version: number; by: string },
): Promise<void> {
  await database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('retention', 0))`.execute(tx)
    if ((await listRetentionRules(tx))[0]?.version !== version)
      throw new Problem(
        'settings-changed',
        'Someone else changed the retention meanwhile. Look at it again, then repeat your change.',
      )
    await tx
      .insertInto('retention_rules')
      .values({ customer_years: rules.customerYears, travel_record_years: rules.travelRecordYears, by })
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

/** Writes down what was removed, in the transaction that removes it. */
export async function recordRemoval(
  tx: Db<Tables>,
  removal: { kind: 'customer' | 'travel-record' | 'snapshot'; count: number; before: Date },
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
