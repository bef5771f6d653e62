import type { Removal } from '@windlass/contracts/platform/anchor-life.ts'
import { reportRemoval } from '@windlass/contracts/internal/control-plane.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

type RemovalReport = Pick<Removal, 'id' | 'state' | 'export' | 'error'>

/** Sends the platform the state of a removal after the transaction commits. */
export async function reportRemovalLater(
  tx: Db<Tables>,
  anchorId: string,
  report: RemovalReport,
): Promise<void> {
  // Stored messages of an earlier version have this field.
  await enqueue(tx, 'removal', `${report.id}:${report.state}`, { anchorId, told: report })
}

export async function deliverRemoval(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId, told } = message.payload as { anchorId: string; told: RemovalReport }
  await reportRemovalNow(deps, anchorId, told)
}

/** Resolves when the platform has done its part. */
export async function reportRemovalNow(
  { platform }: Deps,
  anchorId: string,
  report: RemovalReport,
): Promise<void> {
  const signal = AbortSignal.timeout(20_000)
  await platform.call(reportRemoval, { params: { anchorId }, body: report, signal })
}
