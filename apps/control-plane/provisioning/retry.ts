import type { JobStatus } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { Db } from '@windlass/service/database.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { changed, writeLog } from './journal.ts'

/** Seconds without a sign of life after which a job counts as stalled. */
const STALLED_SECONDS = 30

/**
 * Wakes a failed or stalled job at the stage where it stood; of several at once one wins. Throws `job-not-found`
 * and, where the job is completed or really makes progress, `job-not-retryable`.
 */
export async function retryJob(
  deps: Deps,
  jobId: string,
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
      .where(notRemoved)
      .returning(['status', 'attempts'])
      .executeTakeFirst()
    if (!row) return null
    await tx
      .updateTable('job_stages')
      .set({ failures: 0, spent: 0, status: 'pending', error: null })
      .where('job_id', '=', jobId)
      .where('status', '<>', 'completed')
      .execute()
    const stage = await standing(tx, jobId)
    await writeLog(tx, { jobId, stage, level: 'info', text: 'Woken by a retry.' })
    await changed(tx, jobId)
    return row
  })
  if (!woken) throw await refusal(deps, jobId)
  await deps.wake(jobId)
  return { jobId, ...woken }
}

const failedOrStalled = sql<boolean>`(
  status = 'failed'
  or (status in ('pending', 'running') and lease_until is null and next_run_at > clock_timestamp())
  or (status in ('pending', 'running') and heartbeat_at < clock_timestamp() - ${STALLED_SECONDS} * interval '1 second')
)`

const notRemoved = sql<boolean>`not exists (
  select from removals where removals.anchor_id = jobs.anchor_id and state <> 'refused')`

async function standing(tx: Db<Tables>, jobId: string): Promise<string> {
  const row = await tx
    .selectFrom('job_stages')
    .select('name')
    .where('job_id', '=', jobId)
    .where('status', '<>', 'completed')
    .orderBy('position')
    .executeTakeFirst()
  return row?.name ?? 'completed'
}

async function refusal(deps: Deps, jobId: string): Promise<Problem> {
  const job = await deps.database.db
    .selectFrom('jobs')
    .select('status')
    .where('id', '=', jobId)
    .executeTakeFirst()
  if (!job) return new Problem('job-not-found', 'There is no provisioning job of that id.')
  const why = refusals[job.status] ?? 'is making progress'
  return new Problem('job-not-retryable', `The job ${why}.`)
}

const refusals: Partial<Record<JobStatus, string>> = {
  completed: 'is completed',
  failed: 'is of an anchor that is removed',
}
