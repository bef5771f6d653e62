import {
  stageNames,
  type LogLine,
  type StageError,
  type StageName,
} from '@windlass/contracts/platform/provisioning.ts'
import { notify, type Db } from '@windlass/service/postgres/database.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Origin } from '@windlass/service/observe/current-request.ts'
import { currentOrigin } from '@windlass/service/observe/request-context.ts'
import { sql, type Kysely, type Transaction } from 'kysely'
import { setProvisioned } from '../anchors/records.ts'
import type { Tables } from '../tables.ts'

const LOG_PAGE = 500

/** Records that a job changed: a new revision, sent to the platform after the transaction commits. */
export async function recordChange(tx: Db<Tables>, jobId: string): Promise<void> {
  const { revision } = await tx
    .updateTable('jobs')
    .set({ revision: sql`revision + 1`, updated_at: sql`clock_timestamp()` })
    .where('id', '=', jobId)
    .returning('revision')
    .executeTakeFirstOrThrow()
  await enqueue(tx, 'progress', `${jobId}:${revision}`, { jobId, revision })
}

/** Wakes workers, here and in other processes, after the transaction commits. */
export const wakeWorkers = (tx: Db<Tables>, jobId: string) => notify(tx, 'jobs', jobId)

/** Creates a job with its stages; false where the job or another one of the anchor exists. */
export async function insertJob(tx: Db<Tables>, jobId: string, anchorId: string): Promise<boolean> {
  const origin = currentOrigin()
  const added = await tx
    .insertInto('jobs')
    .values({ id: jobId, anchor_id: anchorId, origin: origin && JSON.stringify(origin) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 1n) return false
  await alignStages(tx, jobId)
  return true
}

/**
 * Brings an open job to the stages of this version of Windlass: those it lacks are added and are to run, those this
 * version does not have are dropped, all are in this version's order. What is completed stays completed.
 */
export async function alignStages(tx: Db<Tables>, jobId: string): Promise<void> {
  const names = [...stageNames]
  const { rows } = await sql<{ aligned: boolean }>`
    select coalesce(array_agg(name order by position), '{}') = ${names}::text[] as aligned
    from job_stages where job_id = ${jobId}`.execute(tx)
  if (rows[0]?.aligned) return
  await tx.deleteFrom('job_stages').where('job_id', '=', jobId).where('name', 'not in', names).execute()
  // Out of the way first: two stages never have the same position.
  await tx
    .updateTable('job_stages')
    .set({ position: sql`-1 - position` })
    .where('job_id', '=', jobId)
    .execute()
  for (const [position, name] of names.entries()) {
    const moved = await tx
      .updateTable('job_stages')
      .set({ position })
      .where('job_id', '=', jobId)
      .where('name', '=', name)
      .executeTakeFirst()
    if (moved.numUpdatedRows > 0n) continue
    await tx.insertInto('job_stages').values({ job_id: jobId, position, name }).execute()
  }
}

interface AnchorJob {
  id: string
  status: 'pending' | 'running' | 'failed' | 'completed'
}

/** The job that provisions an anchor; null where there is none. */
export async function findJobOfAnchor(db: Db<Tables>, anchorId: string): Promise<AnchorJob | null> {
  const row = await db
    .selectFrom('jobs')
    .select(['id', 'status'])
    .where('anchor_id', '=', anchorId)
    .executeTakeFirst()
  return row ?? null
}

/** As {@link findJobOfAnchor}; until the transaction ends nobody else changes the job. */
export async function lockJobOfAnchor(tx: Transaction<Tables>, anchorId: string): Promise<AnchorJob | null> {
  const row = await tx
    .selectFrom('jobs')
    .select(['id', 'status'])
    .where('anchor_id', '=', anchorId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** The request that a job began with; null where none is known. */
export async function originOfJob(db: Db<Tables>, jobId: string): Promise<Origin | null> {
  const row = await db.selectFrom('jobs').select('origin').where('id', '=', jobId).executeTakeFirst()
  return row?.origin ?? null
}

/** Throws where there is no such job. */
export async function getAnchorIdOfJob(db: Db<Tables>, jobId: string): Promise<string> {
  const row = await db
    .selectFrom('jobs')
    .select('anchor_id')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow()
  return row.anchor_id
}

interface NextStage {
  name: StageName
  failures: number
  /** Seconds that its failures took so far. */
  spent: number
  /** Error of its last attempt; null where none has failed, and while one runs. */
  error: StageError | null
}

/** The first stage that is not completed; null when all are. */
export async function readNextStage(db: Db<Tables>, jobId: string): Promise<NextStage | null> {
  const row = await db
    .selectFrom('job_stages')
    .select(['name', 'failures', 'spent', 'error'])
    .where('job_id', '=', jobId)
    .where('status', '<>', 'completed')
    .where('name', 'in', stageNames)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  return row ? { ...row, name: row.name as StageName } : null
}

export async function beginStage(tx: Db<Tables>, jobId: string, name: StageName): Promise<void> {
  await tx
    .updateTable('job_stages')
    .set({
      status: 'running',
      attempts: sql`attempts + 1`,
      started_at: sql`coalesce(started_at, clock_timestamp())`,
      error: null,
    })
    .where('job_id', '=', jobId)
    .where('name', '=', name)
    .execute()
  await recordChange(tx, jobId)
}

/** When no stage is open any more the job is completed, and the reconciler is responsible for the anchor. */
export async function completeStage(tx: Db<Tables>, jobId: string, name: StageName): Promise<void> {
  await tx
    .updateTable('job_stages')
    .set({ status: 'completed', finished_at: sql`clock_timestamp()`, error: null })
    .where('job_id', '=', jobId)
    .where('name', '=', name)
    .execute()
  if ((await readNextStage(tx, jobId)) === null) {
    await tx.updateTable('jobs').set({ status: 'completed' }).where('id', '=', jobId).execute()
    await setProvisioned(tx, await getAnchorIdOfJob(tx, jobId))
  }
  await recordChange(tx, jobId)
}

interface Failure {
  stage: StageName
  error: StageError
  /** Seconds that the attempt took. */
  took: number
  /** Seconds until the next attempt; null fails the job, which then waits for a retry. */
  again: number | null
}

export async function failStage(tx: Db<Tables>, jobId: string, failure: Failure): Promise<void> {
  const { stage, error, took, again } = failure
  await tx
    .updateTable('job_stages')
    .set({
      status: 'failed',
      failures: sql`failures + 1`,
      spent: sql`spent + ${took + (again ?? 0)}::real`,
      error: JSON.stringify(error),
    })
    .where('job_id', '=', jobId)
    .where('name', '=', stage)
    .execute()
  await tx
    .updateTable('jobs')
    .set(
      again === null
        ? { status: 'failed' }
        : { next_run_at: sql`clock_timestamp() + ${again} * interval '1 second'` },
    )
    .where('id', '=', jobId)
    .execute()
  await recordChange(tx, jobId)
}

export async function writeLog(
  tx: Db<Tables>,
  line: { jobId: string; stage: string; level: LogLine['level']; text: string },
): Promise<void> {
  const { jobId, stage, level, text } = line
  await tx
    .insertInto('job_log')
    .values({ job_id: jobId, stage, level, text: text.slice(0, 2_000) })
    .execute()
}

/** Removes the log of jobs that were completed long ago. */
export async function pruneLogs(db: Db<Tables>): Promise<void> {
  await sql`
    delete from job_log using jobs
    where jobs.id = job_id and jobs.status = 'completed' and jobs.updated_at < now() - interval '400 days'`.execute(
    db,
  )
}

/** A job's log lines after the given id, oldest first, at most 500. Throws `job-not-found`. */
export async function readLog(db: Db<Tables>, jobId: string, after: number): Promise<LogLine[]> {
  const job = await db.selectFrom('jobs').select('id').where('id', '=', jobId).executeTakeFirst()
  if (!job) throw new Problem('job-not-found', 'There is no provisioning job with this id.')
  const rows = await db
    .selectFrom('job_log')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('id', '>', String(after))
    .orderBy('id')
    .limit(LOG_PAGE)
    .execute()
  return rows.map(({ id, at, stage, level, text }) => ({
    id: Number(id),
    at: at.toISOString(),
    stage,
    level,
    text,
  }))
}

/** Pauses and leases are seconds: what seems planned later was planned by a clock that has been set back since. */
const isNow = (column: 'next_run_at' | 'lease_until') => sql<boolean>`
  (${sql.ref(column)} <= clock_timestamp() or ${sql.ref(column)} > clock_timestamp() + interval '10 minutes')`

/** It is open, its time has come, and no worker has it. */
export const isDue = sql<boolean>`(
  status in ('pending', 'running') and ${isNow('next_run_at')} and (lease_until is null or ${isNow('lease_until')})
)`

/** Ids of jobs that are due and that no worker has, the longest due first. */
export async function dueJobs(db: Db<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where(isDue)
    .orderBy('next_run_at')
    .limit(200)
    .execute()
  return rows.map(row => row.id)
}

/** Keeps jobs that wait for a free worker from counting as stalled. */
export async function touchWaitingJobs(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async tx => {
    const rows = await tx
      .updateTable('jobs')
      .set({ heartbeat_at: sql`clock_timestamp()` })
      .where(isDue)
      .where('heartbeat_at', '<', sql<Date>`clock_timestamp() - interval '8 seconds'`)
      .returning('id')
      .execute()
    for (const { id } of rows) await recordChange(tx, id)
  })
}
