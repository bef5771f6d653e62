import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { Job } from '@windlass/contracts/platform/provisioning.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { insertAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { insertJob, recordChange, wakeWorkers } from './journal.ts'
import { readSnapshot } from './snapshot.ts'

/** Accepts a job, once for each id, and starts it. Throws `anchor-wrong-state` where the anchor has another job. */
export async function acceptJob(deps: Deps, jobId: string, plan: AnchorPlan): Promise<Job> {
  const { db } = deps.database
  await db.transaction().execute(async tx => {
    await insertAnchor(tx, deps.master, plan)
    if (await insertJob(tx, jobId, plan.anchorId)) await recordChange(tx, jobId)
    await wakeWorkers(tx, jobId)
  })
  const snapshot = await readSnapshot(db, deps.config, jobId)
  if (!snapshot) throw new Problem('anchor-wrong-state', 'This anchor is provisioned by another job.')
  return snapshot.job
}
