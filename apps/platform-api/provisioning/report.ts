import { stageNames, type Job } from '@windlass/contracts/provisioning.ts'
import { Problem } from '@windlass/service/problem.ts'
import { isDeepStrictEqual } from 'node:util'
import { moveAnchor } from '../anchors/move.ts'
import type { Deps } from '../deps.ts'
import { keepSnapshot, lockJob, markAlive } from './queries.ts'

export const noSuchJob = (): Problem =>
  new Problem('job-not-found', 'There is no provisioning job with this id.')

/**
 * Keeps what the control plane says of a job. An older report than the one that is kept changes nothing; one that
 * says nothing new is a sign of life. Throws `job-not-found`.
 */
export async function report(deps: Deps, jobId: string, revision: number, told: Job): Promise<void> {
  const stage = stageNames.indexOf(told.stage) + 1
  deps.faults.at(`report:${stage}:begun`)
  await deps.database.db.transaction().execute(async tx => {
    const row = await lockJob(tx, jobId)
    if (!row) throw noSuchJob()
    if (revision < Number(row.revision)) return
    const job = { ...told, jobId }
    if (isDeepStrictEqual(visible(job), visible(row.snapshot))) {
      await markAlive(tx, jobId, revision)
      return
    }
    await keepSnapshot(tx, job, revision)
    if (job.status === 'running') await moveAnchor(deps, tx, row.anchor_id, 'start')
    if (job.status === 'failed') await moveAnchor(deps, tx, row.anchor_id, 'fail')
  })
  deps.faults.at(`report:${stage}:kept`)
}

// Times of the report itself are not news.
const visible = ({ updatedAt: _, createdAt: __, ...job }: Job) => job
