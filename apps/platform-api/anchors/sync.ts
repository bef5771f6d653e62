import { setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import type { OutboxMessage } from '@windlass/service/outbox.ts'
import type { Deps } from '../deps.ts'
import { findAnchor, type AnchorRow } from './queries.ts'
import { register, registrationOf } from './registry.ts'

export const SYNC_TOPIC = 'sync-anchor'

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
      await register(deps, registrationOf(anchor, deps.sealer))
      told = anchor.status
    }
  }
}
