import type { JobStatus } from '@windlass/contracts/platform/provisioning.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { dependencies } from './dependencies.ts'
import { lockJobOfAnchor, readNextStage, recordChange, wakeWorkers, writeLog } from './journal.ts'

/** Seconds without a sign of life after which a job counts as stalled. */
const STALLED_SECONDS = 30
/** Seconds within which a retry is answered as done where the job has continued by itself. */
const RESUMED_SECONDS = 60
const PROBE_EVERY_MS = 5_000
/** A dependency answers again when it has done so this often in a row. */
const STEADY_PROBES = 2
/** Seconds between a failure and the first resumption; doubled with each that failed, up to the longest. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 900

/** Whether the anchor is being removed, or is removed. */
export type IsRemoved = (db: Db<Tables>, anchorId: string) => Promise<boolean>

type Woken = { status: JobStatus; attempts: number }

/**
 * Continues a failed or stalled job at the stage that failed; of several calls at once one wins. A job that has just
 * continued by itself is answered in the same way, once. Throws `job-not-found`, and `job-not-retryable` where the job
 * is completed or makes progress.
 */
export async function retryJob(
  deps: Deps,
  jobId: string,
  isRemoved: IsRemoved,
): Promise<Woken & { jobId: string }> {
  const { db } = deps.database
  const woken = await db.transaction().execute(async tx => {
    const row = await setPending(tx, jobId, failedOrStalled, { resumes: 0, resumed_at: null })
    if (!row) return findResumed(tx, jobId)
    if (await isRemoved(tx, row.anchor_id)) throw notRetryable('is of an anchor that is removed')
    await reopen(tx, jobId, 'Woken by a retry.')
    return { status: row.status, attempts: row.attempts }
  })
  if (!woken) throw await refusal(deps, jobId)
  return { jobId, ...woken }
}

/** Continues failed jobs when the dependency whose outage failed them answers again. */
export function startResumer(deps: Deps, isRemoved: IsRemoved): Loop {
  const answers = new Map<string, number>()
  return loop({
    name: 'resume',
    logger: deps.logger,
    everyMs: PROBE_EVERY_MS,
    act: () => resumeJobs(deps, answers, isRemoved),
  })
}

/** @param answers how often in a row the dependency behind an error's code has answered */
export async function resumeJobs(
  deps: Deps,
  answers: Map<string, number>,
  isRemoved: IsRemoved,
): Promise<void> {
  const { db } = deps.database
  const waiting = await listResumable(db)
  const codes = new Set(waiting.map(({ code }) => code))
  for (const code of answers.keys()) if (!codes.has(code)) answers.delete(code)
  await Promise.all(
    [...codes].map(async code => {
      const up = await dependencies
        .get(code)
        ?.probe(deps)
        .then(
          () => true,
          () => false,
        )
      answers.set(code, up ? (answers.get(code) ?? 0) + 1 : 0)
    }),
  )
  for (const { id, anchorId, code } of waiting) {
    if ((answers.get(code) ?? 0) < STEADY_PROBES) continue
    await db.transaction().execute(async tx => {
      await lockJobOfAnchor(tx, anchorId)
      if (await isRemoved(tx, anchorId)) return
      const resumed = { resumes: sql<number>`resumes + 1`, resumed_at: sql<Date>`clock_timestamp()` }
      const row = await setPending(tx, id, sql<boolean>`status = 'failed'`, resumed)
      if (!row) return
      await reopen(tx, id, `${dependencies.get(code)?.name} answers again: continuing.`)
    })
  }
}

/** Failed jobs, each with the code of its error, of which a dependency was the cause. */
async function listResumable(db: Db<Tables>): Promise<{ id: string; anchorId: string; code: string }[]> {
  return db
    .selectFrom('jobs')
    .innerJoin('job_stages', 'job_id', 'jobs.id')
    .select(['jobs.id', 'anchor_id as anchorId', sql<string>`error ->> 'code'`.as('code')])
    .where('jobs.status', '=', 'failed')
    .where('job_stages.status', '=', 'failed')
    .where(sql<boolean>`error ->> 'code' = any(${[...dependencies.keys()]})`)
    .where(
      sql<boolean>`(updated_at > clock_timestamp() + interval '1 minute' or updated_at < clock_timestamp()
        - least(${LONGEST_PAUSE}, ${FIRST_PAUSE} * 2 ^ least(resumes, 20)) * interval '1 second')`,
    )
    .orderBy('updated_at')
    .limit(200)
    .execute()
}

const failedOrStalled = sql<boolean>`(
  status = 'failed'
  or (status in ('pending', 'running') and lease_until is null and next_run_at > clock_timestamp())
  or (status in ('pending', 'running') and heartbeat_at < clock_timestamp() - ${STALLED_SECONDS} * interval '1 second')
)`

interface Resumption {
  resumes: number | ReturnType<typeof sql<number>>
  resumed_at: null | ReturnType<typeof sql<Date>>
}

async function setPending(
  tx: Transaction<Tables>,
  jobId: string,
  condition: ReturnType<typeof sql<boolean>>,
  resumption: Resumption,
) {
  return tx
    .updateTable('jobs')
    .set({
      status: 'pending',
      attempts: sql`attempts + 1`,
      next_run_at: sql`clock_timestamp()`,
      lease_token: null,
      lease_until: null,
      ...resumption,
    })
    .where('id', '=', jobId)
    .where(condition)
    .returning(['status', 'attempts', 'anchor_id'])
    .executeTakeFirst()
}

async function reopen(tx: Transaction<Tables>, jobId: string, text: string): Promise<void> {
  await tx
    .updateTable('job_stages')
    .set({ failures: 0, spent: 0, status: 'pending', error: null })
    .where('job_id', '=', jobId)
    .where('status', '<>', 'completed')
    .execute()
  const stage = (await readNextStage(tx, jobId))?.name ?? 'completed'
  await writeLog(tx, { jobId, stage, level: 'info', text })
  await recordChange(tx, jobId)
  await wakeWorkers(tx, jobId)
}

/** A job that continued by itself while a person decided to retry it. */
async function findResumed(tx: Transaction<Tables>, jobId: string): Promise<Woken | null> {
  const row = await tx
    .updateTable('jobs')
    .set({ resumed_at: null })
    .where('id', '=', jobId)
    .where('status', 'in', ['pending', 'running'])
    .where('resumed_at', '>', sql<Date>`clock_timestamp() - ${RESUMED_SECONDS} * interval '1 second'`)
    .returning(['status', 'attempts'])
    .executeTakeFirst()
  return row ?? null
}

async function refusal(deps: Deps, jobId: string): Promise<Problem> {
  const job = await deps.database.db
    .selectFrom('jobs')
    .select('status')
    .where('id', '=', jobId)
    .executeTakeFirst()
  if (!job) return new Problem('job-not-found', 'There is no provisioning job with this id.')
  return notRetryable(job.status === 'completed' ? 'is completed' : 'is making progress')
}

const notRetryable = (why: string) => new Problem('job-not-retryable', `The job ${why}.`)
