import type { AnchorStatus, FleetAnchor } from '@windlass/contracts/platform/administrators.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { listAnchors } from '../anchors/anchors.ts'
import { organizationNames } from '../operators/organizations.ts'
import { jobIdsOf } from '../provisioning/jobs.ts'
import type { PlatformDb } from '../tables.ts'

/** Every anchor as administrators see it, the newest first. */
export async function listFleetPage(
  db: PlatformDb,
  status: AnchorStatus | undefined,
  start: PageStart | null,
  limit: number,
): Promise<{ id: string; createdAt: Date; anchor: FleetAnchor }[]> {
  const anchors = await listAnchors(db, status, start, limit)
  const names = await organizationNames(
    db,
    anchors.map(each => each.organization_id),
  )
  const jobIds = await jobIdsOf(
    db,
    anchors.map(({ id }) => id),
  )
  return anchors.map(row => ({
    id: row.id,
    createdAt: row.created_at,
    anchor: {
      id: row.id,
      organizationId: row.organization_id,
      organizationName: names.get(row.organization_id) ?? '',
      subdomain: row.subdomain,
      homeDomain: row.home_domain,
      status: row.status,
      assetCode: row.plan.asset.code,
      rails: row.plan.rails,
      regions: row.plan.regions,
      issuer: row.issuer,
      jobId: jobIds.get(row.id) ?? null,
      reason: row.reason,
      ...(row.ledger_reset_at ? { ledgerResetAt: row.ledger_reset_at.toISOString() } : {}),
      createdAt: row.created_at.toISOString(),
      activatedAt: row.activated_at?.toISOString() ?? null,
      ...(row.status === 'active' && row.asleep_since ? { asleepSince: row.asleep_since.toISOString() } : {}),
    },
  }))
}
