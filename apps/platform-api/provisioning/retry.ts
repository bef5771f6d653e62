import { acceptJob, retryControlPlaneJob } from '@windlass/contracts/internal/control-plane.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { anchorPlan } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { findJob } from './jobs.ts'
import { jobNotFound } from './report.ts'

/**
 * Retries a failed or stalled run at its present stage. The control plane, which runs it, decides whether it is one. Throws `job-not-found`, `job-not-retryable`, and `dependency-unavailable` where the control plane is down.
 */
export async function retry(deps: Deps, jobId: string) {
  const { db } = deps.database
  const state = await findJob(db, jobId)
  if (!state) throw jobNotFound()
  if (state.job.status === 'completed')
    throw new Problem('job-not-retryable', 'The job is already completed.')
  const retried = await wake(deps, jobId, state.anchorId)
  await db.transaction().execute(tx =>
    record(
      tx,
      {
        actor: 'public',
        action: 'provisioning.retried',
        subject: `anchor:${state.anchorId}`,
        details: { stage: state.job.stage },
      },
      deps.clock.now(),
    ),
  )
  return retried
}

const controlPlane = passProblems('The control plane')

async function wake(deps: Deps, jobId: string, anchorId: string) {
  try {
    return await controlPlane(deps.controlPlane.call(retryControlPlaneJob, { params: { jobId } }))
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'job-not-found')) throw error
  }
  // It has not been handed over yet: do it now instead of waiting for the outbox.
  const body = { jobId, plan: await anchorPlan(deps.database.db, anchorId) }
  const { status, attempts } = await controlPlane(deps.controlPlane.call(acceptJob, { body }))
  return { jobId, status, attempts }
}
