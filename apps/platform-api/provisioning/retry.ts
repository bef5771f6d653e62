import { acceptJob, retryControlPlaneJob } from '@windlass/contracts/internal/control-plane.ts'
import { retryJob } from '@windlass/contracts/platform/provisioning.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { anchorPlan } from '../anchors/anchors.ts'
import { remoteAct } from '../audit/remote-act.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { findJob } from './jobs.ts'
import { jobNotFound } from './report.ts'

/**
 * Retries a failed or stalled run at its present stage. The control plane, which runs it, decides whether it is one. Throws `job-not-found`, `job-not-retryable`, and `dependency-unavailable` where the control plane is down.
 */
export async function retry(deps: Deps, jobId: string, request: FastifyRequest) {
  const { db } = deps.database
  const state = await findJob(db, jobId)
  if (!state) throw jobNotFound()
  if (state.job.status === 'completed')
    throw new Problem('job-not-retryable', 'The job is already completed.')
  return remoteAct(deps, retryJob, request, {
    ...{ actor: 'public', subject: `anchor:${state.anchorId}`, action: 'provisioning.retried' },
    asked: { stage: state.job.stage },
    call: () => wake(deps, jobId, state.anchorId),
  })
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
