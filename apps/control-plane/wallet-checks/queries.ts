import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import type { Db } from '@windlass/service/database.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { sql } from 'kysely'
import type { Tables } from '../database.ts'
import { nextCheck } from './time-of-day.ts'

export interface DueAnchor {
  id: string
  plan: AnchorPlan
  data_key: Buffer
}

/** The checks of an anchor are due again after this time if their process died. */
const LEASE_MINUTES = 15

/** Gives every provisioned anchor without a check time its own. */
export async function planChecks(db: Db<Tables>, now: Date): Promise<void> {
  const rows = await db
    .selectFrom('anchors')
    .leftJoin('wallet_checks', 'anchor_id', 'anchors.id')
    .select('anchors.id')
    .where('provisioned_at', 'is not', null)
    .where('anchor_id', 'is', null)
    .limit(1_000)
    .execute()
  if (rows.length === 0) return
  await db
    .insertInto('wallet_checks')
    .values(rows.map(({ id }) => ({ anchor_id: id, next_at: nextCheck(id, now), checked_at: null })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Claims the running anchor that is due longest; null if none is due. */
export async function claimDueAnchor(db: Db<Tables>, now: Date): Promise<DueAnchor | null> {
  const { rows } = await sql<DueAnchor>`
    update wallet_checks c set next_at = ${now}::timestamptz + ${LEASE_MINUTES} * interval '1 minute'
    from anchors a
    where a.id = c.anchor_id and c.anchor_id = (
      select d.anchor_id from wallet_checks d join anchors b on b.id = d.anchor_id
      where d.next_at <= ${now} and b.running and b.provisioned_at is not null
      order by d.next_at limit 1 for update of d skip locked)
    returning a.id, a.plan, a.data_key`.execute(db)
  return rows[0] ?? null
}

/** Stores a report, sends it to the platform once the transaction commits, and sets the next time. */
export async function recordReport(
  tx: Db<Tables>,
  anchorId: string,
  report: WalletCheckReport,
): Promise<void> {
  const checkedAt = new Date(report.checkedAt)
  const failed = report.results.some(({ passed }) => !passed)
  const row = {
    next_at: nextCheck(anchorId, checkedAt, failed),
    checked_at: checkedAt,
    report: JSON.stringify(report),
  }
  await tx
    .insertInto('wallet_checks')
    .values({ anchor_id: anchorId, ...row })
    .onConflict(conflict => conflict.column('anchor_id').doUpdateSet(row))
    .execute()
  await enqueue(tx, 'wallet-checks', `${anchorId}:${report.checkedAt}`, { anchorId, report })
}
