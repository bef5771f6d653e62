import { getJobLog } from '@windlass/contracts/control-plane.ts'
import type { LogLine } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { findJob } from './queries.ts'
import { noSuchJob } from './report.ts'

/** A run's log as the control plane keeps it. Throws `job-not-found`, `dependency-unavailable`. */
export async function readLog(deps: Deps, jobId: string, after: number | undefined): Promise<LogLine[]> {
  if (!(await findJob(deps.database.db, jobId))) throw noSuchJob()
  try {
    return await controlPlane(deps.controlPlane.call(getJobLog, { params: { jobId }, query: { after } }))
  } catch (error) {
    // Not handed over yet: nothing has been written.
    if (error instanceof Problem && error.code === 'job-not-found') return []
    throw error
  }
}

const controlPlane = asNeighbour('The control plane')
