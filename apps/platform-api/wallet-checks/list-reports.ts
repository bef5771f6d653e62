import type { WalletChecks } from '@windlass/contracts/wallet-checks.ts'
import type { PlatformDb } from '../database.ts'

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
