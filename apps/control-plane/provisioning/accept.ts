import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { Job } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { sealNewDataKey } from '../keys/vault.ts'
import { changed, insertJob } from './journal.ts'
import { readSnapshot } from './snapshot.ts'

/** Takes a job over, once for each id, and sets it going. */
export async function acceptJob(deps: Deps, jobId: string, plan: AnchorPlan): Promise<Job> {
  const { db } = deps.database
  await db.transaction().execute(async tx => {
    await tx
      .insertInto('anchors')
      .values({
        id: plan.anchorId,
        plan: JSON.stringify(plan),
        data_key: sealNewDataKey(deps.master, plan.anchorId),
        sep_port: null,
        business_port: null,
      })
      .onConflict(conflict => conflict.column('id').doNothing())
      .execute()
    if (await insertJob(tx, jobId, plan.anchorId)) await changed(tx, jobId)
  })
  const snapshot = await readSnapshot(db, deps.config, jobId)
  if (!snapshot) throw new Problem('anchor-wrong-state', 'This anchor is provisioned by another job.')
  await deps.wake(jobId)
  return snapshot.job
}
