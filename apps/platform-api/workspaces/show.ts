import type { Workspace } from '@windlass/contracts/workspaces.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'
import { demandMember } from './access.ts'

/** Throws `anchor-not-found`. */
export async function showWorkspace(db: PlatformDb, userId: string, anchorId: string): Promise<Workspace> {
  const { role } = await demandMember(db, userId, anchorId)
  const row = await db
    .selectFrom('anchors as a')
    .innerJoin('organizations as o', 'o.id', 'a.organization_id')
    .leftJoin('jobs as j', 'j.anchor_id', 'a.id')
    .selectAll('a')
    .select(['o.name as organization_name', 'j.id as job_id'])
    .select(
      sql<Date | null>`(select max(at) from anchor_events where anchor_id = a.id and kind = 'ledger-reset')`.as(
        'ledger_reset_at',
      ),
    )
    .where('a.id', '=', anchorId)
    .executeTakeFirstOrThrow()
  const { asset, rails, regions, settlement, fees, limits } = row.plan
  return {
    id: row.id,
    organization: { id: row.organization_id, name: row.organization_name },
    role,
    subdomain: row.subdomain,
    homeDomain: row.home_domain,
    status: row.status,
    reason: row.reason,
    ...(row.ledger_reset_at ? { ledgerResetAt: row.ledger_reset_at.toISOString() } : {}),
    ...{ asset, rails, regions, settlement, fees, limits },
    issuer: row.issuer,
    distribution: row.distribution,
    signingKey: row.signing_key,
    jobId: row.job_id,
    createdAt: row.created_at.toISOString(),
    activatedAt: row.activated_at?.toISOString() ?? null,
  }
}
