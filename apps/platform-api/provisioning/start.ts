import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { acceptJob } from '@windlass/contracts/internal/control-plane.ts'
import { type Job, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { type OutboxMessage, enqueue } from '@windlass/service/work/outbox.ts'
import type { Deps } from '../deps.ts'
import { newJobId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'

export const HAND_OVER_TOPIC = 'hand-over-job'

interface HandOver {
  jobId: string
  plan: AnchorPlan
}

/** Adds an anchor's job and hands it to the control plane, which may be away: the message waits. */
export async function startJob(tx: PlatformDb, plan: AnchorPlan, now: Date): Promise<string> {
  const job = pendingJob(newJobId(), plan, now)
  await tx
    .insertInto('jobs')
    .values({
      id: job.jobId,
      anchor_id: plan.anchorId,
      status: job.status,
      snapshot: JSON.stringify(job),
      created_at: now,
    })
    .execute()
  const message: HandOver = { jobId: job.jobId, plan }
  await enqueue(tx, HAND_OVER_TOPIC, job.jobId, message)
  return job.jobId
}

/** The control plane drops a repeat by the job's id. */
export function sendJob({ controlPlane, faults }: Pick<Deps, 'controlPlane' | 'faults'>) {
  return async (message: OutboxMessage): Promise<void> => {
    faults.at('hand-over:begun')
    await controlPlane.call(acceptJob, { body: message.payload as HandOver })
    faults.at('hand-over:done')
  }
}

function pendingJob(jobId: string, plan: AnchorPlan, now: Date): Job {
  const [first] = stageNames
  const time = now.toISOString()
  return {
    jobId,
    status: 'pending',
    stage: first,
    result: { stage: first, homeDomain: plan.homeDomain, assetCode: plan.asset.code },
    stages: stageNames.map(name => ({
      name,
      status: 'pending',
      startedAt: null,
      finishedAt: null,
      attempts: 0,
    })),
    attempts: 0,
    createdAt: time,
    updatedAt: time,
  }
}
