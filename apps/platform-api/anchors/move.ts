import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { lockAnchor } from './queries.ts'
import { nextStatus, type AnchorEvent } from './status.ts'

/** Moves an anchor where the event belongs to its state, and leaves it where it does not: reports may come late. */
export async function moveAnchor(
  { clock }: Pick<Deps, 'clock'>,
  tx: PlatformDb,
  anchorId: string,
  event: AnchorEvent,
): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  const status = anchor && nextStatus(anchor.status, event)
  if (!status) return
  await tx.updateTable('anchors').set({ status }).where('id', '=', anchorId).execute()
  await record(
    tx,
    { actor: 'system', action: `anchor.${status}`, subject: `anchor:${anchorId}` },
    clock.now(),
  )
}
