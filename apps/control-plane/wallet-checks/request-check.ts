import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'

/** Makes an anchor's check due now. Throws `anchor-not-found`, and `anchor-wrong-state` if it is not running. */
export async function requestCheck({ database, clock }: Deps, anchorId: string): Promise<void> {
  const anchor = await database.db
    .selectFrom('anchors')
    .select(['running', 'provisioned_at'])
    .where('id', '=', anchorId)
    .executeTakeFirst()
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  if (!anchor.running || !anchor.provisioned_at) {
    throw new Problem('anchor-wrong-state', 'The anchor is not running, so it cannot be checked.')
  }
  const due = { next_at: clock.now() }
  await database.db
    .insertInto('wallet_checks')
    .values({ anchor_id: anchorId, checked_at: null, ...due })
    .onConflict(conflict => conflict.column('anchor_id').doUpdateSet(due))
    .execute()
}
