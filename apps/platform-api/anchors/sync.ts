import { setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/outbox.ts'
import { randomUUID } from 'node:crypto'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { findAnchor, type AnchorRow } from './queries.ts'
import { deregister, register, registrationOf } from './registry.ts'

export const SYNC_TOPIC = 'sync-anchor'

/** Has the control plane and the aggregator brought to the anchor's state once this transaction commits. */
export async function enqueueSync(tx: PlatformDb, anchorId: string): Promise<void> {
  await enqueue(tx, SYNC_TOPIC, `${anchorId}:${randomUUID()}`, { anchorId })
}

/**
 * Brings the control plane and the aggregator to the state that an anchor has now. Messages may overtake each other:
 * each tells what the row says when it is delivered, and looks again afterwards.
 */
export function syncAnchor(deps: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const { anchorId } = message.payload as { anchorId: string }
    let told: AnchorRow['status'] | undefined
    for (;;) {
      const anchor = await findAnchor(deps.database.db, anchorId)
      if (!anchor || anchor.status === told) return
      await deps.controlPlane.call(setAnchorRunning, {
        params: { anchorId },
        body: { running: anchor.status === 'active' },
      })
      if (anchor.status === 'removed') await deregister(deps, anchorId)
      else await register(deps, registrationOf(anchor, deps.sealer))
      told = anchor.status
    }
  }
}
