import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { activateAnchor, type ProvisionedAnchor } from '@windlass/contracts/control-plane.ts'
import type { OutboxMessage } from '@windlass/service/outbox.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { readPair } from './pair.ts'

/** What the platform is told of an anchor that stands. */
export async function standingAnchor(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<ProvisionedAnchor> {
  const { db } = deps.database
  const publicKey = async (role: 'issuer' | 'distribution' | 'signing') =>
    (await vault.get(db, role)).publicKey ?? ''
  const service = await vault.get(db, 'service')
  const summary = await vault.get(db, 'summary')
  const { anchorId } = plan
  const { slot, ports } = await readPair(deps, anchorId)
  return {
    issuer: await publicKey('issuer'),
    distribution: await publicKey('distribution'),
    signingKey: await publicKey('signing'),
    apiUrl: deps.runtime.address({ anchorId, slot, role: 'business', port: ports.business }),
    summarySecret: summary.secret,
    serviceSecretHash: createHash('sha256').update(service.secret).digest('hex'),
    treasuryCapacity: plan.asset.issued,
  }
}

/** Tells the platform where a provisioned anchor is reached since its ports were changed. */
export async function deliverMove(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId } = message.payload as { anchorId: string }
  const anchor = await deps.database.db
    .selectFrom('anchors')
    .innerJoin('jobs', 'jobs.anchor_id', 'anchors.id')
    .select(['plan', 'data_key', 'jobs.id as jobId'])
    .where('anchors.id', '=', anchorId)
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  // Not provisioned yet, and its job will tell; or removed.
  if (!anchor) return
  const body = await standingAnchor(deps, anchor.plan, openVault(deps.master, anchorId, anchor.data_key))
  const signal = AbortSignal.timeout(20_000)
  await deps.platform.call(activateAnchor, { params: { jobId: anchor.jobId }, body, signal })
}
