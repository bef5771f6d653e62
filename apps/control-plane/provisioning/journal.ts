import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { LogLine } from '@windlass/contracts/provisioning.ts'
import { stageNames, type StageError } from '@windlass/contracts/provisioning.ts'
import type { Db } from '@windlass/service/database.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../database.ts'

/** Notes that a job changed: a new revision, reported to the platform when the transaction commits. */
export async function changed(tx: Db<Tables>, jobId: string): Promise<void> {
  const { revision } = await tx
    .updateTable('jobs')
    .set({ revision: sql`revision + 1`, updated_at: sql`clock_timestamp()` })
    .where('id', '=', jobId)
    .returning('revision')
    .executeTakeFirstOrThrow()
  await enqueue(tx, 'progress', `${jobId}:${revision}`, { jobId, revision })
}

/** Writes a job and its seven stages down; false where it is there already. */
export async function insertJob(tx: Db<Tables>, jobId: string, anchorId: string): Promise<boolean> {
  const added = await tx
    .insertInto('jobs')
    .values({ id: jobId, anchor_id: anchorId })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 1n) return false
  const stages = stageNames.map((name, position) => ({ job_id: jobId, position, name }))
  await tx.insertInto('job_stages').values(stages).execute()
  return true
}

/** The anchor a job is about, with what opens its vault. */
export async function readAnchorOfJob(
  db: Db<Tables>,
  jobId: string,
): Promise<{ plan: AnchorPlan; data_key: Buffer }> {
  return db
    .selectFrom('jobs')
    .innerJoin('anchors', 'anchors.id', 'jobs.anchor_id')
    .select(['anchors.plan', 'anchors.data_key'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirstOrThrow()
}

/** The first stage that is not completed; `null` when all are. `spent` is the seconds its failures took so far. */
export async function readNextStage(
  db: Db<Tables>,
  jobId: string,
): Promise<{ position: number; failures: number; spent: number } | null> {
  const row = await db
    .selectFrom('job_stages')
    .select(['position', 'failures', 'spent'])
    .where('job_id', '=', jobId)
    .where('status', '<>', 'completed')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function beginStage(tx: Db<Tables>, jobId: string, position: number): Promise<void> {
  await tx
    .updateTable('job_stages')
    .set({
      status: 'running',
      attempts: sql`attempts + 1`,
      started_at: sql`coalesce(started_at, clock_timestamp())`,
      error: null,
    })
    .where('job_id', '=', jobId)
    .where('position', '=', position)
    .execute()
  await changed(tx, jobId)
}

/** The last one completes the job and hands the anchor to the reconciler. */
export async function completeStage(tx: Db<Tables>, jobId: string, position: number): Promise<void> {
  await tx
    .updateTable('job_stages')
    .set({ status: 'completed', finished_at: sql`clock_timestamp()`, error: null })
    .where('job_id', '=', jobId)
    .where('position', '=', position)
    .execute()
  if (position === stageNames.length - 1) {
    await tx.updateTable('jobs').set({ status: 'completed' }).where('id', '=', jobId).execute()
    await tx
      .updateTable('anchors')
      .set({ provisioned_at: sql`coalesce(provisioned_at, clock_timestamp())` })
      .where('id', '=', tx.selectFrom('jobs').select('anchor_id').where('id', '=', jobId))
      .execute()
  }
  await changed(tx, jobId)
}

export interface Failure {
  position: number
  error: StageError
  /** Seconds that the try took. */
  took: number
  /** Seconds until the next try; `null` fails the job, which then waits for a retry. */
  again: number | null
}

export async function failStage(tx: Db<Tables>, jobId: string, failure: Failure): Promise<void> {
  const { position, error, took, again } = failure
  await tx
    .updateTable('job_stages')
    .set({
      status: 'failed',
      failures: sql`failures + 1`,
      spent: sql`spent + ${took + (again ?? 0)}::real`,
      error: JSON.stringify(error),
    })
    .where('job_id', '=', jobId)
    .where('position', '=', position)
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
  await changed(tx, jobId)
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

const isDue = sql<boolean>`(
  status in ('pending', 'running') and next_run_at <= clock_timestamp()
  and (lease_until is null or lease_until < clock_timestamp())
)`

/** Jobs that are due and that nobody works on. */
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

/** Those that wait for a free worker are not stalled: a sign of life each ten seconds says so. */
export async function touchWaitingJobs(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async tx => {
    const rows = await tx
      .updateTable('jobs')
      .set({ heartbeat_at: sql`clock_timestamp()` })
      .where(isDue)
      .where('heartbeat_at', '<', sql<Date>`clock_timestamp() - interval '8 seconds'`)
      .returning('id')
      .execute()
    for (const { id } of rows) await changed(tx, id)
  })
}
