import type { WalletCheckReport, WalletChecks } from '@windlass/contracts/platform/wallet-checks.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { findAnchor } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'

const KEEP_DAYS = 90

/** Stores a report; a repeat changes nothing. Throws `anchor-not-found`. */
export async function recordReport(
  { database }: Pick<Deps, 'database'>,
  anchorId: string,
  { checkedAt, results }: WalletCheckReport,
): Promise<void> {
  const at = new Date(checkedAt)
  await database.db.transaction().execute(async tx => {
    if (!(await findAnchor(tx, anchorId)))
      throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    await tx
      .insertInto('wallet_check_reports')
      .values({
        anchor_id: anchorId,
        checked_at: at,
        passed: results.filter(({ passed }) => passed).length,
        total: results.length,
        results: JSON.stringify(results),
      })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    await tx
      .deleteFrom('wallet_check_reports')
      .where('anchor_id', '=', anchorId)
      .where('checked_at', '<', new Date(at.getTime() - KEEP_DAYS * 86_400_000))
      .execute()
  })
}

const HISTORY = 30

/** The last report of an anchor, and how many checks passed in the ones before. */
export async function listReports(db: PlatformDb, anchorId: string): Promise<WalletChecks> {
  const rows = await db
    .selectFrom('wallet_check_reports')
    .select(['checked_at', 'passed', 'total'])
    .where('anchor_id', '=', anchorId)
    .orderBy('checked_at', 'desc')
    .limit(HISTORY)
    .execute()
  const history = rows.map(({ checked_at, passed, total }) => ({
    checkedAt: checked_at.toISOString(),
    passed,
    total,
  }))
  const [last] = rows
  if (!last) return { latest: null, history }
  const { results } = await db
    .selectFrom('wallet_check_reports')
    .select('results')
    .where('anchor_id', '=', anchorId)
    .where('checked_at', '=', last.checked_at)
    .executeTakeFirstOrThrow()
  return { latest: { checkedAt: last.checked_at.toISOString(), results }, history }
}
