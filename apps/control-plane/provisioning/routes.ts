import * as contract from '@windlass/contracts/internal/control-plane.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { acceptJob } from './accept.ts'
import { readLog } from './journal.ts'
import { retryJob, type IsRemoved } from './retry.ts'
import { readSnapshot } from './snapshot.ts'

export function provisioningRoutes(on: On, deps: Deps, isRemoved: IsRemoved): void {
  const { db } = deps.database
  on(contract.acceptJob).serve(({ body }) => acceptJob(deps, body.jobId, body.plan))
  on(contract.getControlPlaneJob).serve(async ({ params }) => {
    const snapshot = await readSnapshot(db, deps.config, params.jobId)
    if (!snapshot) throw new Problem('job-not-found', 'There is no provisioning job with this id.')
    return snapshot.job
  })
  on(contract.retryControlPlaneJob).serve(({ params }) => retryJob(deps, params.jobId, isRemoved))
  on(contract.getJobLog).serve(({ params, query }) => readLog(db, params.jobId, query.after ?? 0))
}
