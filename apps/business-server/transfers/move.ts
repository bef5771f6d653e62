import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { type SepCall, queueSepCalls } from '../outgoing/sep-calls/sep-calls.ts'
import type { Tables, Transfer, TransferChange, TransferState } from '../tables.ts'
import { developerForm } from './developer-form.ts'
import { lockTransfer } from './find.ts'
import { reasonFor } from './status.ts'
import { removeRecord } from './travel-rule/records.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'

/**
 * Changes the state of a locked transfer, in the caller's transaction: the state with its reason, the calls to the SEP
 * server and the developers' webhooks. Throws for a step that the table of steps does not have.
 */
export async function move(
  tx: Db<Tables>,
  transfer: Transfer,
  to: TransferState,
  change: TransferChange,
  calls: readonly SepCall[],
): Promise<Transfer> {
  const why = reasonFor(transfer.state, to, transfer.direction)
  if (why === null) throw new Error(`a ${transfer.direction} cannot go from ${transfer.state} to ${to}`)
  const moved = await tx
    .updateTable('transfers')
    .set({ ...change, state: to, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', transfer.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  // Nothing moves, so there is no reason to keep who would have sent and received it. Late money asks again.
  if (to === 'expired' || to === 'failed') await removeRecord(tx, transfer.id)
  const step = { transfer_id: transfer.id, from_state: transfer.state, to_state: to, why }
  await tx.insertInto('transfer_steps').values(step).execute()
  await queueSepCalls(tx, transfer.id, calls)
  await publishEvent(tx, `transaction.${to}`, developerForm(moved))
  return moved
}

/** As {@link move}, of a transfer that the caller has not locked. */
export async function lockAndMove(
  tx: Db<Tables>,
  id: string,
  to: TransferState,
  change: TransferChange,
  calls: readonly SepCall[],
): Promise<Transfer> {
  return move(tx, await lockTransfer(tx, id), to, change, calls)
}
