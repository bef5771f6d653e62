import type { ProvisionedAnchor } from '@windlass/contracts/control-plane.ts'
import { activateAnchor } from '../anchors/activate.ts'
import { announceSecret } from '../anchors/announce-secret.ts'
import type { Deps } from '../deps.ts'
import { findJob } from './queries.ts'
import { noSuchJob } from './report.ts'

/** The last stage of a job; see {@link activateAnchor}. Throws `job-not-found` besides. */
export async function activate(deps: Deps, jobId: string, stood: ProvisionedAnchor): Promise<void> {
  await activateAnchor(deps, await anchorOf(deps, jobId), stood)
}

/** Throws `job-not-found`. */
export async function announce(deps: Deps, jobId: string, serviceSecretHash: string): Promise<void> {
  await announceSecret(deps.database.db, await anchorOf(deps, jobId), serviceSecretHash)
}

async function anchorOf({ database }: Deps, jobId: string): Promise<string> {
  const state = await findJob(database.db, jobId)
  if (!state) throw noSuchJob()
  return state.anchorId
}
