import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'

const KEEP_DAYS = 90

/** Stores a report; a repeat changes nothing. Throws `anchor-not-found`. */
export async function recordReport(
  { database }: Pick<Deps, 'database'>,
  anchorId: string,
  { checkedAt, results }: WalletCheckReport,
): Promise<void> {
  const at = new Date(checkedAt)
  await database.db.transaction().execute(async tx => {
    const anchor = await tx.selectFrom('anchors').select('id').where('id', '=', anchorId).executeTakeFirst()
    if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
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
