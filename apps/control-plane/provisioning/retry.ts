import type { JobStatus } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { Db } from '@windlass/service/database.ts'
import type { Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import { readNextStage, recordChange, wakeWorkers, writeLog } from './journal.ts'

/** Seconds without a sign of life after which a job counts as stalled. */
const STALLED_SECONDS = 30

/** Whether the anchor is being removed, or is removed. */
export type IsRemoved = (db: Db<Tables>, anchorId: string) => Promise<boolean>

/**
 * Continues a failed or stalled job at the stage that failed; of several calls at once one wins. Throws
 * `job-not-found`, and `job-not-retryable` where the job is completed or makes progress.
 */
export async function retryJob(
  deps: Deps,
  jobId: string,
  isRemoved: IsRemoved,
): Promise<{ jobId: string; status: JobStatus; attempts: number }> {
  const { db } = deps.database
  const woken = await db.transaction().execute(async tx => {
    const row = await tx
      .updateTable('jobs')
      .set({
        status: 'pending',
        attempts: sql`attempts + 1`,
        next_run_at: sql`clock_timestamp()`,
        lease_token: null,
        lease_until: null,
      })
      .where('id', '=', jobId)
      .where(failedOrStalled)
      .returning(['status', 'attempts', 'anchor_id'])
      .executeTakeFirst()
    if (!row) return null
    const { anchor_id: anchorId, ...woken } = row
    if (await isRemoved(tx, anchorId)) throw notRetryable('is of an anchor that is removed')
    await tx
      .updateTable('job_stages')
      .set({ failures: 0, spent: 0, status: 'pending', error: null })
      .where('job_id', '=', jobId)
      .where('status', '<>', 'completed')
      .execute()
    const stage = (await readNextStage(tx, jobId))?.name ?? 'completed'
    await writeLog(tx, { jobId, stage, level: 'info', text: 'Woken by a retry.' })
    await recordChange(tx, jobId)
    await wakeWorkers(tx, jobId)
    return woken
  })
  if (!woken) throw await refusal(deps, jobId)
  return { jobId, ...woken }
}

const failedOrStalled = sql<boolean>`(
  status = 'failed'
  or (status in ('pending', 'running') and lease_until is null and next_run_at > clock_timestamp())
  or (status in ('pending', 'running') and heartbeat_at < clock_timestamp() - ${STALLED_SECONDS} * interval '1 second')
)`

async function refusal(deps: Deps, jobId: string): Promise<Problem> {
  const job = await deps.database.db
    .selectFrom('jobs')
    .select('status')
    .where('id', '=', jobId)
    .executeTakeFirst()
  if (!job) return new Problem('job-not-found', 'There is no provisioning job of that id.')
  return notRetryable(job.status === 'completed' ? 'is completed' : 'is making progress')
}

const notRetryable = (why: string) => new Problem('job-not-retryable', `The job ${why}.`)
