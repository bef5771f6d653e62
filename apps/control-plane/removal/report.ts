import type { Removal } from '@windlass/contracts/anchor-life.ts'
import { reportRemoval } from '@windlass/contracts/control-plane.ts'
import type { Db } from '@windlass/service/database.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/outbox.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'

export type Told = Pick<Removal, 'id' | 'state' | 'export' | 'error'>

/** Has the platform told once the transaction commits. */
export async function report(tx: Db<Tables>, anchorId: string, told: Told): Promise<void> {
  await enqueue(tx, 'removal', `${told.id}:${told.state}`, { anchorId, told })
}

export async function deliverRemoval(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId, told } = message.payload as { anchorId: string; told: Told }
  await tellPlatform(deps, anchorId, told)
}

/** Resolves when the platform has done its part. */
export async function tellPlatform({ platform }: Deps, anchorId: string, told: Told): Promise<void> {
  const signal = AbortSignal.timeout(20_000)
  await platform.call(reportRemoval, { params: { anchorId }, body: told, signal })
}
