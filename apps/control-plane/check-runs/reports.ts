import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import { claimDue } from '@windlass/service/work/claim-due.ts'
import { notify, type Db } from '@windlass/service/postgres/database.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { getAnchor, listProvisioned } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { nextCheck } from './time-of-day.ts'

/** A check whose process died is due again after this long. */
const LEASE_SECONDS = 900

/**
 * Claims the checks that are due of running anchors, and gives every provisioned anchor without one its time.
 *
 * @param limit how many to claim at most
 */
export async function claimChecks(db: Db<Tables>, now: Date, limit: number): Promise<string[]> {
  const anchors = await listProvisioned(db)
  const planned = await db.selectFrom('wallet_checks').select('anchor_id').execute()
  const known = new Set(planned.map(row => row.anchor_id))
  const missing = anchors.filter(({ id }) => !known.has(id)).slice(0, 1_000)
  if (missing.length > 0) {
    await db
      .insertInto('wallet_checks')
      .values(missing.map(({ id }) => ({ anchor_id: id, next_at: nextCheck(id, now), checked_at: null })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  const running = anchors.filter(anchor => anchor.running).map(({ id }) => id)
  const claimed = await claimDue<{ anchor_id: string }, Tables>(db, {
    table: 'wallet_checks',
    key: 'anchor_id',
    dueAt: 'next_at',
    leaseSeconds: LEASE_SECONDS,
    now,
    limit,
    where: sql`anchor_id = any(${running})`,
  })
  return claimed.map(row => row.anchor_id)
}

/** Makes an anchor's check due now. Throws `anchor-not-found`, and `anchor-wrong-state` where it does not run. */
export async function requestCheck(
  { database: { db }, clock }: Pick<Deps, 'database' | 'clock'>,
  anchorId: string,
): Promise<void> {
  const anchor = await getAnchor(db, anchorId)
  if (!anchor.running || !anchor.provisioned_at) {
    throw new Problem('anchor-wrong-state', 'The anchor is not running: there is nothing to check.')
  }
  const due = { next_at: clock.now() }
  await db
    .insertInto('wallet_checks')
    .values({ anchor_id: anchorId, checked_at: null, ...due })
    .onConflict(conflict => conflict.column('anchor_id').doUpdateSet(due))
    .execute()
  await notify(db, 'checks', anchorId)
}

/** The report of the anchor's last check; null before the first one. */
export async function getLastReport(db: Db<Tables>, anchorId: string): Promise<WalletCheckReport | null> {
  const row = await db
    .selectFrom('wallet_checks')
    .select('report')
    .where('anchor_id', '=', anchorId)
    .executeTakeFirst()
  return row?.report ?? null
}

/** Stores a report, sends it to the platform after the transaction commits, and sets the time of the next check. */
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
