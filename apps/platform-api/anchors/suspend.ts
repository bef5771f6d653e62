import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { lockAnchor } from './anchors.ts'
import { enqueueSync } from './registry.ts'
import { findActiveRemoval } from './remove.ts'
import { nextStatus } from './status.ts'

/**
 * Suspends or resumes an anchor. Its servers and the aggregator follow through the outbox, however long they are
 * away. Throws `anchor-not-found`, `anchor-wrong-state`.
 */
export async function setSuspended(
  deps: Deps,
  anchorId: string,
  event: 'suspend' | 'resume',
  admin: Principals['admin'],
  givenReason?: string,
) {
  const reason = givenReason?.trim() || null
  return deps.database.db.transaction().execute(async tx => {
    const anchor = await lockAnchor(tx, anchorId)
    if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    const removal = event === 'resume' ? await findActiveRemoval(tx, anchorId) : undefined
    if (removal) throw new Problem('anchor-wrong-state', 'The anchor is being removed.')
    const status = nextStatus(anchor.status, event)
    if (!status) throw new Problem('anchor-wrong-state', `The anchor is ${anchor.status}.`)
    await tx.updateTable('anchors').set({ status, reason }).where('id', '=', anchorId).execute()
    await enqueueSync(tx, anchorId)
    await record(
      tx,
      {
        actor: `admin:${admin.username}`,
        action: `anchor.${status}`,
        subject: `anchor:${anchorId}`,
        details: { before: anchor.status, ...(reason ? { reason } : {}) },
      },
      deps.clock.now(),
    )
    return { id: anchorId, status }
  })
}
