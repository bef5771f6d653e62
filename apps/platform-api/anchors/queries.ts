import type { AnchorStatus, FleetAnchor } from '@windlass/contracts/administrators.ts'
import type { PageStart } from '@windlass/service/pages.ts'
import { sql, type Selectable } from 'kysely'
import type { PlatformDb } from '../database.ts'
import type { AnchorsTable } from './table.ts'

export type AnchorRow = Selectable<AnchorsTable>

export function findAnchor(db: PlatformDb, id: string): Promise<AnchorRow | undefined> {
  return db.selectFrom('anchors').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockAnchor(tx: PlatformDb, id: string): Promise<AnchorRow | undefined> {
  return tx.selectFrom('anchors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** When an anchor's accounts were last found gone from the ledger. */
export const lastLedgerReset = sql<Date | null>`(
  select max(at) from anchor_events where anchor_id = anchors.id and kind = 'ledger-reset')`.as(
  'ledger_reset_at',
)

/** Those that the aggregator must know. */
export function findStanding(db: PlatformDb): Promise<AnchorRow[]> {
  return db.selectFrom('anchors').selectAll().where('status', 'in', ['active', 'suspended']).execute()
}

export async function findFleet(
  db: PlatformDb,
  status: AnchorStatus | undefined,
  start: PageStart | null,
  limit: number,
): Promise<{ id: string; createdAt: Date; anchor: FleetAnchor }[]> {
  let query = db
    .selectFrom('anchors')
    .innerJoin('organizations', 'organizations.id', 'anchors.organization_id')
    .leftJoin('jobs', 'jobs.anchor_id', 'anchors.id')
    .selectAll('anchors')
    .select(['organizations.name', 'jobs.id as job_id', lastLedgerReset])
    .orderBy('anchors.created_at', 'desc')
    .orderBy('anchors.id', 'desc')
    .limit(limit)
  if (status) query = query.where('anchors.status', '=', status)
  if (start) {
    query = query.where(sql<boolean>`(anchors.created_at, anchors.id) < (${start.createdAt}, ${start.id})`)
  }
  const rows = await query.execute()
  return rows.map(row => ({
    id: row.id,
    createdAt: row.created_at,
    anchor: {
      id: row.id,
      organizationId: row.organization_id,
      organizationName: row.name,
      subdomain: row.subdomain,
      homeDomain: row.home_domain,
      status: row.status,
      assetCode: row.plan.asset.code,
      rails: row.plan.rails,
      regions: row.plan.regions,
      issuer: row.issuer,
      jobId: row.job_id,
      reason: row.reason,
      ...(row.ledger_reset_at ? { ledgerResetAt: row.ledger_reset_at.toISOString() } : {}),
      createdAt: row.created_at.toISOString(),
      activatedAt: row.activated_at?.toISOString() ?? null,
    },
  }))
}
