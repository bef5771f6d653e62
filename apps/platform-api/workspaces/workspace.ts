import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { requireMember } from '../anchors/access.ts'
import { settingsOf } from '../anchors/anchors.ts'
import { lastLedgerReset } from '../anchors/events.ts'
import { organizationNames } from '../operators/organizations.ts'
import { jobIdsOf } from '../provisioning/jobs.ts'
import type { PlatformDb } from '../tables.ts'

/** Throws `anchor-not-found`. */
export async function getWorkspace(db: PlatformDb, userId: string, anchorId: string): Promise<Workspace> {
  const { anchor, role } = await requireMember(db, userId, anchorId)
  const names = await organizationNames(db, [anchor.organization_id])
  const jobIds = await jobIdsOf(db, [anchorId])
  const resetAt = await lastLedgerReset(db, anchorId)
  const { asset, furtherAssets, rails, regions, settlement } = anchor.plan
  const { fees, limits } = settingsOf(anchor)
  return {
    id: anchor.id,
    organization: { id: anchor.organization_id, name: names.get(anchor.organization_id) ?? '' },
    role,
    subdomain: anchor.subdomain,
    homeDomain: anchor.home_domain,
    status: anchor.status,
    reason: anchor.reason,
    ...(resetAt ? { ledgerResetAt: resetAt.toISOString() } : {}),
    ...(furtherAssets ? { furtherAssets } : {}),
    ...{ asset, rails, regions, settlement, fees: fees.deposit },
    limits: { min: limits.min, max: limits.max },
    issuer: anchor.issuer,
    distribution: anchor.distribution,
    signingKey: anchor.signing_key,
    jobId: jobIds.get(anchorId) ?? null,
    createdAt: anchor.created_at.toISOString(),
    activatedAt: anchor.activated_at?.toISOString() ?? null,
  }
}
