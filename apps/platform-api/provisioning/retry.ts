import { ProblemError } from '@windlass/client/client.ts'
import { acceptJob, retryControlPlaneJob } from '@windlass/contracts/control-plane.ts'
import { Problem, unavailable } from '@windlass/service/problem.ts'
import { anchorPlan } from '../anchors/draft.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { findJob } from './queries.ts'
import { noSuchJob } from './report.ts'

/**
 * Wakes a failed or stalled run at the stage where it stood. The control plane, which runs it, decides whether it is
 * one. Throws `job-not-found`, `job-not-retryable`, and `dependency-unavailable` where the control plane is down.
 */
export async function retry(deps: Deps, jobId: string) {
  const { db } = deps.database
  const state = await findJob(db, jobId)
  if (!state) throw noSuchJob()
  if (state.job.status === 'completed') throw notRetryable('It is completed.')
  const retried = await askControlPlane(deps, jobId, state.anchorId)
  await db.transaction().execute(tx =>
    record(
      tx,
      {
        actor: 'system',
        action: 'provisioning.retried',
        subject: `anchor:${state.anchorId}`,
        details: { stage: state.job.stage },
      },
      deps.clock.now(),
    ),
  )
  return retried
}

async function askControlPlane(deps: Deps, jobId: string, anchorId: string) {
  const { controlPlane } = deps
  try {
    return await controlPlane.call(retryControlPlaneJob, { params: { jobId } })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw unavailable('The control plane', error)
    if (error.problem.code === 'job-not-retryable') throw notRetryable(error.problem.detail)
    if (error.problem.code !== 'job-not-found') throw unavailable('The control plane', error)
  }
  // It was never handed over: done now instead of when the outbox comes to it.
  try {
    const { status, attempts } = await controlPlane.call(acceptJob, {
      body: { jobId, plan: await anchorPlan(deps.database.db, anchorId) },
    })
    return { jobId, status, attempts }
  } catch (error) {
    throw unavailable('The control plane', error)
  }
}

const notRetryable = (detail: string): Problem => new Problem('job-not-retryable', detail)
