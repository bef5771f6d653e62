import type { LogLine } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'

const PAGE = 500

/** A run's lines after the given id, oldest first, at most 500. Throws `job-not-found`. */
export async function readLog(deps: Deps, jobId: string, after: number): Promise<LogLine[]> {
  const { db } = deps.database
  const job = await db.selectFrom('jobs').select('id').where('id', '=', jobId).executeTakeFirst()
  if (!job) throw new Problem('job-not-found', 'There is no provisioning job of that id.')
  const rows = await db
    .selectFrom('job_log')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('id', '>', String(after))
    .orderBy('id')
    .limit(PAGE)
    .execute()
  return rows.map(({ id, at, stage, level, text }) => ({
    id: Number(id),
    at: at.toISOString(),
    stage,
    level,
    text,
  }))
}
