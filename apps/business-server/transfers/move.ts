import type { RpcMethod, RpcParams } from '@windlass/contracts/anchor-platform.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import { tellDevelopers } from '../webhooks/tell-developers.ts'
import { developerForm } from './developer-form.ts'
import { reasonFor, type TransferState } from './status.ts'
import type { Transfer, TransferChange } from './transfer.ts'

export type PlatformCall = [RpcMethod, Omit<RpcParams, 'transaction_id'>]

/**
 * Moves a locked transfer on, in the caller's transaction: the state with its reason, what the SEP server must be
 * told, and the developers' webhooks. Throws where the table of steps has no such step.
 */
export async function move(
  tx: Db<BusinessDatabase>,
  transfer: Transfer,
  to: TransferState,
  change: TransferChange,
  calls: readonly PlatformCall[],
): Promise<Transfer> {
  const why = reasonFor(transfer.state, to, transfer.direction)
  if (why === null) throw new Error(`a ${transfer.direction} does not go from ${transfer.state} to ${to}`)
  const moved = await tx
    .updateTable('transfers')
    .set({ ...change, state: to, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', transfer.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const step = { transfer_id: transfer.id, from_state: transfer.state, to_state: to, why }
  await tx.insertInto('transfer_steps').values(step).execute()
  await tellPlatform(tx, transfer.id, calls)
  await tellDevelopers(tx, `transaction.${to}`, developerForm(moved))
  return moved
}

/** Notes what the SEP server must be told of a transaction, in order. */
export async function tellPlatform(
  tx: Db<BusinessDatabase>,
  transferId: string,
  calls: readonly PlatformCall[],
): Promise<void> {
  if (calls.length === 0) return
  const rows = calls.map(([method, params]) => ({
    transfer_id: transferId,
    method,
    params: JSON.stringify({ transaction_id: transferId, ...params }),
    delivered_at: null,
    refused: null,
  }))
  await tx.insertInto('platform_calls').values(rows).execute()
}
