import { formatLedgerAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type pg from 'pg'
import { readFurther, storeFurther } from '../registry/entry.ts'
import { updateConditions, updateOffers } from '../registry/conditions.ts'
import type { StepResult } from '../external/walk.ts'
import type { Offer } from '../external/offer.ts'
import type { Tables } from '../tables.ts'
import type { Observation } from '../registry/registry-index.ts'
import { earliestIdAt } from '../ids.ts'

/** One probe as it is recorded. */
export interface Check extends Observation {
  latencyMs: number
  source?: string
  failure?: string
  /** What a wallet would do at an external anchor, step by step, and what was read on the way. */
  steps?: readonly StepResult[]
  offer?: Offer
}

/**
 * Writes a batch of checks, updates the registry by them, and notifies the other processes: all in one transaction. A
 * batch that is stored already is not changed.
 */
export async function writeChecks(pool: pg.Pool, checks: readonly Check[], batchId: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Without a name it is planned for this batch: a plan for any batch may read a whole day to see that it is new.
    await client.query(WRITE_CHECKS, [JSON.stringify(checks.map(rowOf)), batchId])
    await updateConditions(client, checks)
    await updateOffers(
      client,
      checks.flatMap(({ anchorId, offer }) => (offer ? [{ anchorId, offer }] : [])),
    )
    await client.query({ name: 'notify-checks', text: `select pg_notify('health', $1)`, values: [batchId] })
    await client.query('commit')
    client.release()
  } catch (error) {
    // Closing the connection ends its transaction.
    client.release(true)
    throw error
  }
}

const WRITE_CHECKS = `
  insert into health_metrics (anchor_id, checked_at, current_availability, treasury_capacity, further_capacity,
    latency_ms, source, failure, steps, batch_id)
  select c.*, $2::uuid
  from json_to_recordset($1) as c(anchor_id text, checked_at timestamptz, current_availability boolean,
    treasury_capacity numeric, further_capacity jsonb, latency_ms integer, source text, failure text, steps jsonb)
  where not exists (select 1 from health_metrics where batch_id = $2::uuid)`

function rowOf(check: Check) {
  return {
    anchor_id: check.anchorId,
    checked_at: check.checkedAt,
    current_availability: check.available,
    treasury_capacity: check.capacity === undefined ? null : formatLedgerAmount(check.capacity),
    further_capacity: check.further === undefined ? null : storeFurther(check.further),
    latency_ms: check.latencyMs,
    source: check.source ?? null,
    failure: check.failure ?? null,
    steps: check.steps ?? null,
  }
}

const OBSERVED = 'anchor_id, checked_at, current_availability, treasury_capacity, further_capacity, batch_id'

interface ObservationRow {
  anchor_id: string
  checked_at: Date
  current_availability: boolean
  treasury_capacity: string | null
  further_capacity: Record<string, string> | null
  batch_id: string
}

export type BatchedObservation = Observation & { batchId: string }

export async function readBatches(pool: pg.Pool, batchIds: readonly string[]): Promise<BatchedObservation[]> {
  const { rows } = await pool.query<ObservationRow>({
    name: 'read-batches',
    text: `select ${OBSERVED} from health_metrics
      where batch_id = any($1::uuid[]) order by checked_at`,
    values: [batchIds],
  })
  return rows.map(observationOf)
}

/** Everything in batches begun at or after a moment, oldest first. */
export async function readBatchesSince(pool: pg.Pool, since: Date): Promise<BatchedObservation[]> {
  const { rows } = await pool.query<ObservationRow>(
    `select ${OBSERVED} from health_metrics
      where batch_id >= $1::uuid order by checked_at`,
    [earliestIdAt(since)],
  )
  return rows.map(observationOf)
}

function observationOf(row: ObservationRow): BatchedObservation {
  const capacity: Amount | undefined =
    row.treasury_capacity === null ? undefined : parseAmount(row.treasury_capacity)
  return {
    anchorId: row.anchor_id,
    checkedAt: row.checked_at,
    available: row.current_availability,
    ...(capacity === undefined ? {} : { capacity }),
    ...(row.further_capacity === null ? {} : { further: readFurther(row.further_capacity) }),
    batchId: row.batch_id,
  }
}

/** An anchor's checks after a moment: `[milliseconds since it, good]`, folded into one number each. */
interface History {
  anchorId: string
  /** `milliseconds × 2 + (good ? 1 : 0)` */
  checks: number[]
}

/** How many anchors' checks are in memory at a time. */
const FETCH = 500

/**
 * Passes on all checks after a moment, anchor by anchor, and returns the batches begun since `recent`, as of one
 * snapshot of the database.
 */
export async function readHistory(
  db: Kysely<Tables>,
  since: Date,
  recent: Date,
  passOn: (history: History) => void,
): Promise<string[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async tx => {
      // All of it is fetched, and it may take a while.
      await sql`set local cursor_tuple_fraction = 1`.execute(tx)
      await sql`set local statement_timeout = 0`.execute(tx)
      await sql`declare history cursor for
        select anchor_id, string_agg(
          ((extract(epoch from checked_at - ${sql.lit(since.toISOString())}::timestamptz) * 1000)::bigint * 2
            + current_availability::int)::text, ',') as checks
        from health_metrics where checked_at > ${sql.lit(since.toISOString())} group by anchor_id`.execute(tx)
      let fetched: number
      do {
        const { rows } = await sql<{
          anchor_id: string
          checks: string
        }>`fetch ${sql.lit(FETCH)} from history`.execute(tx)
        for (const row of rows) passOn({ anchorId: row.anchor_id, checks: row.checks.split(',').map(Number) })
        fetched = rows.length
      } while (fetched === FETCH)
      const batches = await sql<{ batch_id: string }>`
        select distinct batch_id from health_metrics where batch_id >= ${earliestIdAt(recent)}::uuid`.execute(
        tx,
      )
      return batches.rows.map(row => row.batch_id)
    })
}

export async function latestChecks(db: Db<Tables>, anchorId: string, limit: number) {
  return db
    .selectFrom('health_metrics')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('checked_at', 'desc')
    .limit(limit)
    .execute()
}

interface MinuteRow {
  minute: Date
  good: number
  checks: number
  latency_ms: number
}

export async function minutesSince(db: Db<Tables>, anchorId: string, since: Date): Promise<MinuteRow[]> {
  const { rows } = await sql<MinuteRow>`
    select date_trunc('minute', checked_at) as minute, count(*)::int as checks,
      (count(*) filter (where current_availability))::int as good, round(avg(latency_ms))::int as latency_ms
    from health_metrics where anchor_id = ${anchorId} and checked_at > ${since}
    group by 1 order by 1`.execute(db)
  return rows
}

const HISTORY_DAYS = 90
const HOUR_MS = 3_600_000
/** Checks are written late while the database is away: an hour is counted when it is two hours old. */
const LATE_MS = HOUR_MS

/**
 * Counts the hours that are complete into their days, each once: the place where counting stopped is locked meanwhile.
 * Removes days that are too old.
 */
export async function countDays(db: Kysely<Tables>, now: Date): Promise<void> {
  const complete = new Date(Math.floor((now.getTime() - LATE_MS) / HOUR_MS) * HOUR_MS)
  for (let more = true; more;) more = await countHour(db, complete)
  await sql`delete from health_days where day < (${now}::timestamptz at time zone 'utc')::date - ${HISTORY_DAYS}::int`.execute(
    db,
  )
}

/** Counts the next hour; false where there is none. */
const countHour = (db: Kysely<Tables>, complete: Date): Promise<boolean> =>
  db.transaction().execute(async tx => {
    const { until: from } = await tx
      .selectFrom('health_counted')
      .select('until')
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (from >= complete) return false
    const until = new Date(from.getTime() + HOUR_MS)
    await sql`
      insert into health_days (anchor_id, day, good, checks, latency_ms)
      select anchor_id, (checked_at at time zone 'utc')::date, count(*) filter (where current_availability), count(*),
        sum(latency_ms)
      from health_metrics where checked_at >= ${from} and checked_at < ${until} group by 1, 2
      on conflict (anchor_id, day) do update set good = health_days.good + excluded.good,
        checks = health_days.checks + excluded.checks, latency_ms = health_days.latency_ms + excluded.latency_ms`.execute(
      tx,
    )
    await tx.updateTable('health_counted').set({ until }).execute()
    return true
  })

interface DayRow {
  /** `2026-11-22` */
  day: string
  good: number
  checks: number
  latency_ms: number
}

/** An anchor's days, oldest first, with what is not counted yet. */
export async function daysOf(db: Db<Tables>, anchorId: string, now: Date): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    select day::text, sum(good)::int as good, sum(checks)::int as checks,
      round(sum(latency_ms) / sum(checks))::int as latency_ms
    from (
      select day, good, checks, latency_ms from health_days where anchor_id = ${anchorId}
      union all
      select (checked_at at time zone 'utc')::date, current_availability::int, 1, latency_ms from health_metrics
      where anchor_id = ${anchorId} and checked_at >= (select until from health_counted)
    ) as parts
    where day > (${now}::timestamptz at time zone 'utc')::date - ${HISTORY_DAYS}::int
    group by day order by day`.execute(db)
  return rows
}
