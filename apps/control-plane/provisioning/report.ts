import { ProblemError } from '@windlass/client/client.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  activateAnchor,
  reportProgress,
  type ProvisionedAnchor,
} from '@windlass/contracts/internal/control-plane.ts'
import type { OutboxMessage } from '@windlass/service/work/outbox.ts'
import { createHash } from 'node:crypto'
import { getAnchor, isProvisioned, openAnchor } from '../anchors/records.ts'
import { getAccounts } from '../anchors/accounts.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { addressOf } from '../servers/pair.ts'
import { findJobOfAnchor } from './journal.ts'
import { readSnapshot } from './snapshot.ts'

/** Sends the job as it is now to the platform. A change that is not the newest is left to the newest one's message. */
export async function deliverProgress(deps: Deps, message: OutboxMessage): Promise<void> {
  const { jobId, revision } = message.payload as { jobId: string; revision: number }
  const snapshot = await readSnapshot(deps.database.db, deps.config, jobId)
  if (!snapshot || snapshot.revision > revision) return
  try {
    await deps.platform.call(reportProgress, {
      params: { jobId },
      body: snapshot,
      signal: AbortSignal.timeout(10_000),
    })
  } catch (error) {
    // Not, or no longer, the platform's job: a repeat would not change that.
    if (!(error instanceof ProblemError && error.status === 404)) throw error
    deps.logger.warn({ jobId }, 'the platform does not know this job')
  }
}

/** Sends the platform the new address of a provisioned anchor's servers. */
export async function deliverAddress(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId } = message.payload as { anchorId: string }
  const { anchor, plan, vault } = await openAnchor(deps, anchorId)
  const job = await findJobOfAnchor(deps.database.db, anchorId)
  // One that is not provisioned yet is registered by its job's last stage.
  if (!job || !isProvisioned(anchor)) return
  const body = await registrationOf(deps, plan, vault)
  const signal = AbortSignal.timeout(20_000)
  await deps.platform.call(activateAnchor, { params: { jobId: job.id }, body, signal })
}

/** What the platform registers of an anchor. */
export async function registrationOf(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<ProvisionedAnchor> {
  const { db } = deps.database
  const { issuer, distribution, signing } = await getAccounts(db, plan.anchorId)
  const service = await vault.get(db, 'service')
  const summary = await vault.get(db, 'summary')
  const { anchorId } = plan
  const { asleep_since: asleepSince } = await getAnchor(db, anchorId)
  return {
    issuer,
    distribution,
    signingKey: signing,
    apiUrl: await addressOf(deps, anchorId, 'business'),
    summarySecret: summary.secret,
    serviceSecretHash: createHash('sha256').update(service.secret).digest('hex'),
    treasuryCapacity: plan.asset.issued,
    ...(plan.furtherAssets ? { furtherAssets: plan.furtherAssets.length } : {}),
    ...(asleepSince ? { asleepSince: asleepSince.toISOString() } : {}),
  }
}
