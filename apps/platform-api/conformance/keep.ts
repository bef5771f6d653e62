import type { ConformanceReport } from '@windlass/contracts/conformance.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'

const KEEP_DAYS = 90

/** Keeps what a check found; a repeat changes nothing. Throws `anchor-not-found`. */
export async function keepReport(
  { database }: Pick<Deps, 'database'>,
  anchorId: string,
  { checkedAt, findings }: ConformanceReport,
): Promise<void> {
  const at = new Date(checkedAt)
  await database.db.transaction().execute(async tx => {
    const anchor = await tx.selectFrom('anchors').select('id').where('id', '=', anchorId).executeTakeFirst()
    if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    await tx
      .insertInto('conformance_reports')
      .values({
        anchor_id: anchorId,
        checked_at: at,
        passed: findings.filter(({ passed }) => passed).length,
        demands: findings.length,
        findings: JSON.stringify(findings),
      })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    await tx
      .deleteFrom('conformance_reports')
      .where('anchor_id', '=', anchorId)
      .where('checked_at', '<', new Date(at.getTime() - KEEP_DAYS * 86_400_000))
      .execute()
  })
}
