import type { ProvisionedAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { type Job, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { isDeepStrictEqual } from 'node:util'
import { activateAnchor } from '../anchors/activate.ts'
import { setServiceSecret } from '../anchors/anchors.ts'
import { moveAnchor } from '../anchors/status.ts'
import type { Deps } from '../deps.ts'
import { findJob, saveSnapshot, lockJob, markAlive } from './jobs.ts'

export const jobNotFound = (): Problem =>
  new Problem('job-not-found', 'There is no provisioning job with this id.')

/**
 * Records the control plane's report of a job. An older report than the recorded one changes nothing; one without
 * news counts as a heartbeat. Throws `job-not-found`.
 */
export async function report(deps: Deps, jobId: string, revision: number, reported: Job): Promise<void> {
  const stage = stageNames.indexOf(reported.stage) + 1
  deps.faults.at(`report:${stage}:begun`)
  await deps.database.db.transaction().execute(async tx => {
    const row = await lockJob(tx, jobId)
    if (!row) throw jobNotFound()
    if (revision < Number(row.revision)) return
    const job = { ...reported, jobId }
    if (isDeepStrictEqual(visible(job), visible(row.snapshot))) {
      await markAlive(tx, jobId, revision)
      return
    }
    await saveSnapshot(tx, job, revision)
    if (job.status === 'running') await moveAnchor(deps, tx, row.anchor_id, 'start')
    if (job.status === 'failed') await moveAnchor(deps, tx, row.anchor_id, 'fail')
  })
  deps.faults.at(`report:${stage}:kept`)
}

// The times of the report itself are not a change.
const visible = ({ updatedAt: _, createdAt: __, ...job }: Job) => job

/** The last stage of a job; see {@link activateAnchor}. Throws `job-not-found` besides. */
export async function activate(deps: Deps, jobId: string, provisioned: ProvisionedAnchor): Promise<void> {
  await activateAnchor(deps, await anchorOf(deps, jobId), provisioned)
}

/** Throws `job-not-found`. */
export async function setSecret(deps: Deps, jobId: string, serviceSecretHash: string): Promise<void> {
  await setServiceSecret(deps, await anchorOf(deps, jobId), serviceSecretHash)
}

async function anchorOf({ database }: Deps, jobId: string): Promise<string> {
  const state = await findJob(database.db, jobId)
  if (!state) throw jobNotFound()
  return state.anchorId
}
