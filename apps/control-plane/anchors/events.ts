import { ProblemError } from '@windlass/client/client.ts'
import type { AnchorEvent } from '@windlass/contracts/platform/anchor-life.ts'
import { reportAnchorEvent } from '@windlass/contracts/internal/control-plane.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** Sends the platform what happened to an anchor, once for each event id, after the transaction commits. */
export async function reportEvent(tx: Db<Tables>, anchorId: string, event: AnchorEvent): Promise<void> {
  await enqueue(tx, 'event', event.id, { anchorId, event })
}

export async function deliverEvent(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId, event } = message.payload as { anchorId: string; event: AnchorEvent }
  const signal = AbortSignal.timeout(10_000)
  try {
    await deps.platform.call(reportAnchorEvent, { params: { anchorId }, body: event, signal })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
    deps.logger.warn({ anchorId }, 'the platform does not know this anchor')
  }
}
