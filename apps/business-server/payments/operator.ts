import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordUncovered } from '../money/journal/entries.ts'
import type { Tables, Transfer } from '../tables.ts'
import { wasRecorded } from '../money/journal/journal.ts'
import { isPaidBound } from '../transfers/bound-terms.ts'
import { isContested } from '../transfers/disputes.ts'
import { move } from '../transfers/move.ts'
import { release } from '../money/treasury/treasury.ts'
import { cancelPayment, reservationOf } from './ledger-payments.ts'
import { queueOrder, returnCause } from './rail-orders.ts'

/**
 * Sends the money of a deposit back over its rail and cancels its payment on the ledger, in the caller's transaction. False:
 * the payment is signed and may still apply, or is made, or its payer asks their bank for the money, so nothing changes.
 */
export async function refundDeposit(
  deps: Deps,
  tx: Transaction<Tables>,
  transfer: Transfer,
  message: string,
): Promise<boolean> {
  if (await isContested(tx, transfer.rail, transfer.rail_payment_id ?? '')) return false
  const payment = await tx
    .selectFrom('ledger_payments')
    .selectAll()
    .where('cause', '=', `deposit:${transfer.id}`)
    .executeTakeFirst()
  if (!payment || !(await cancelPayment(tx, payment.id))) return false
  await release(tx, reservationOf(payment))
  await recordUncovered(tx, transfer)
  await queueOrder(deps, tx, {
    // As for any other return of this payment, so that the rail does it once, also after a restore.
    cause: returnCause(transfer.rail, transfer.rail_payment_id ?? ''),
    transfer_id: transfer.id,
    kind: 'return',
    rail: transfer.rail,
    amount: transfer.fiat_amount ?? '0',
    currency: transfer.currency,
    destination: { paymentId: transfer.rail_payment_id ?? '' },
  })
  await move(tx, transfer, 'returning', { message }, [['notify_refund_pending', { message }]])
  return true
}

/**
 * Whether this server accepted the payment that a deposit says, and the journal, which nobody changes, never had its units
 * paid: else two people look at it before its money goes back.
 */
export const isReturnProven = async (
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  transfer: Transfer,
): Promise<boolean> =>
  isPaidBound(deps, transfer) && !(await wasRecorded(tx, `payment:deposit:${transfer.id}`))

/**
 * Locks what is paid for a transfer, before the transfer itself is locked: the end of a payment locks in this order too.
 */
export async function lockPaymentsOf(tx: Db<Tables>, transferId: string): Promise<void> {
  for (const table of ['ledger_payments', 'rail_orders'] as const)
    await tx
      .selectFrom(table)
      .select('id')
      .where('transfer_id', '=', transferId)
      .orderBy('id')
      .forUpdate()
      .execute()
}

/** A worker that handles a payment now has it for less than this: it is not taken from the worker. */
const LEASE_SECONDS = 15

/** Tries at once what waits for a transaction: the same payments, under the same ids. */
export async function resendOf(tx: Db<Tables>, transferId: string): Promise<void> {
  for (const table of ['ledger_payments', 'rail_orders'] as const) {
    await sql`update ${sql.table(table)} set next_try_at = now()
      where transfer_id = ${transferId} and state in ('queued', 'sent') and next_try_at < 'infinity'
        and next_try_at > now() + ${LEASE_SECONDS} * interval '1 second'`.execute(tx)
  }
}

/** The id of the payout that a rail has and has not reported the end of; null: none. */
export async function orderInFlight(tx: Db<Tables>, transferId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('rail_orders')
    .select('id')
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'payout')
    .where('state', '=', 'sent')
    .executeTakeFirst()
  return row?.id ?? null
}
