import { ProblemError } from '@windlass/client/client.ts'
import { getJobLog } from '@windlass/contracts/control-plane.ts'
import type { LogLine } from '@windlass/contracts/provisioning.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { findJob } from './queries.ts'
import { noSuchJob } from './report.ts'

/** A run's log as the control plane keeps it. Throws `job-not-found`, `dependency-unavailable`. */
export async function readLog(deps: Deps, jobId: string, after: number | undefined): Promise<LogLine[]> {
  if (!(await findJob(deps.database.db, jobId))) throw noSuchJob()
  try {
    return await deps.controlPlane.call(getJobLog, { params: { jobId }, query: { after } })
  } catch (error) {
    // Not handed over yet: nothing has been written.
    if (error instanceof ProblemError && error.problem.code === 'job-not-found') return []
    throw unavailable('The control plane', error)
  }
}
