import type { Conformance } from '@windlass/contracts/conformance.ts'
import type { PlatformDb } from '../database.ts'

const HISTORY = 30

/** The last report of an anchor and how the ones before it came out. */
export async function showConformance(db: PlatformDb, anchorId: string): Promise<Conformance> {
  const rows = await db
    .selectFrom('conformance_reports')
    .select(['checked_at', 'passed', 'demands'])
    .where('anchor_id', '=', anchorId)
    .orderBy('checked_at', 'desc')
    .limit(HISTORY)
    .execute()
  const history = rows.map(({ checked_at, passed, demands }) => ({
    checkedAt: checked_at.toISOString(),
    passed,
    demands,
  }))
  const [last] = rows
  if (!last) return { latest: null, history }
  const { findings } = await db
    .selectFrom('conformance_reports')
    .select('findings')
    .where('anchor_id', '=', anchorId)
    .where('checked_at', '=', last.checked_at)
    .executeTakeFirstOrThrow()
  return { latest: { checkedAt: last.checked_at.toISOString(), findings }, history }
}
