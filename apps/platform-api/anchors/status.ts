import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { lockAnchor } from './anchors.ts'

/** Each event and the statuses it may happen in. */
const transitions = {
  // The control plane works on it, for the first time or again.
  start: { from: ['draft', 'error'], to: 'provisioning' },
  // A run ended in a failure that waits for a retry.
  fail: { from: ['draft', 'provisioning'], to: 'error' },
  // Its servers are healthy and the aggregator has acknowledged it. Reports of its run may arrive later: from draft on.
  activate: { from: ['draft', 'provisioning', 'error'], to: 'active' },
  // An administrator stops its servers; keys and data stay.
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  // Its removal was requested: it is suspended at once, and no data is deleted yet.
  withdraw: { from: ['active', 'suspended'], to: 'suspended' },
  // Its data is exported; one that was never provisioned has none.
  remove: { from: ['suspended', 'error'], to: 'removed' },
} as const satisfies Record<string, { from: readonly AnchorStatus[]; to: AnchorStatus }>

export type AnchorEvent = keyof typeof transitions

/** The next status, or null where the event may not happen in the present one. */
export function nextStatus(status: AnchorStatus, event: AnchorEvent): AnchorStatus | null {
  const { from, to } = transitions[event]
  return (from as readonly AnchorStatus[]).includes(status) ? to : null
}

/** Applies an event to an anchor; one that does not fit its status is ignored: reports may arrive late. */
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
