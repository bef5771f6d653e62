import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { isRecorded, reverseEntry } from '../money/journal/journal.ts'
import type { RailOrder, Tables, Transfer, TransferChange } from '../tables.ts'
import { paymentRequest } from '../transfers/confirm.ts'
import { isAgreed, proofOfTerms } from '../transfers/bound-terms.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { hold, release, RESERVED_SECONDS } from '../money/treasury/treasury.ts'
import { reverseSentBack } from './sent-back.ts'
import { openedAgain } from './bound-orders.ts'
import { cancelPayment } from './ledger-payments.ts'
import { returnCause } from './rail-orders.ts'

/** What a decision changed of a deposit: put back where the decision is reversed. */
export type AgreedTerms = Pick<Transfer, 'amount' | 'fee' | 'fiat_amount' | 'rate'>

export const agreedTerms = ({ amount, fee, fiat_amount, rate }: Transfer): AgreedTerms => ({
  ...{ amount, fee, fiat_amount, rate },
})

const notPossible = (why: string) => new Problem('action-not-possible', why)

/**
 * Takes back that money was a deposit's, in the caller's transaction: the deposit waits for its money again, or is expired.
 *
 * @param terms as they were before; null: they stay.
 * @throws {Problem} `action-not-possible`: the asset is paid, or is being paid.
 */
export async function reverseReceived(
  deps: Deps,
  tx: Transaction<Tables>,
  paymentId: string,
  terms: AgreedTerms | null,
): Promise<void> {
  const { transfer_id: id } = await reverseReceipt(tx, paymentId, 'accepted')
  const payment = await tx
    .selectFrom('ledger_payments')
    .select('id')
    .where('cause', '=', `deposit:${id}`)
    .executeTakeFirst()
  const isCanceled = payment !== undefined && (await cancelPayment(tx, payment.id))
  const transfer = await lockTransfer(tx, id ?? '')
  if (!isCanceled || (transfer.state !== 'funded' && transfer.state !== 'awaiting_trust'))
    throw notPossible('The asset was paid on the ledger for this money, or is being paid at this moment.')
  await reverseEntry(tx, `deposit:${transfer.id}`)
  await awaitAgain(deps, tx, transfer, { ...terms, rail_payment_id: null })
}

const MATCHED_BY_MISTAKE =
  'A bank payment was counted as yours by mistake. Your own payment is still awaited, if you have not made it yet.'

/** A deposit whose money does not count waits for it again, or is expired, in the caller's transaction. */
export async function awaitAgain(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  terms: TransferChange,
  message = MATCHED_BY_MISTAKE,
): Promise<void> {
  const now = deps.clock.now()
  const reversed = { ...terms, message, notice: null }
  const before = { ...transfer, ...reversed } as Transfer
  const isBound = await isAgreed(deps, tx, transfer)
  const change = { ...reversed, ...(isBound && { bound: proofOfTerms(deps, before) }) }
  if (transfer.expires_at === null || transfer.expires_at <= now) {
    await release(tx, transfer.id)
    await move(tx, transfer, 'expired', change, [['notify_transaction_expired', { message }]])
    return
  }
  const until = Math.min(transfer.expires_at.getTime(), now.getTime() + RESERVED_SECONDS * 1_000)
  const { id, asset, amount } = before
  if (amount === null) await release(tx, id)
  else await hold(tx, { id, asset, amount, expiresAt: new Date(until) })
  const details = { ...paymentRequest(deps, before, transfer.expires_at), message }
  await move(tx, transfer, 'awaiting_funds', change, [['request_offchain_funds', details]])
}

/**
 * Takes back that money is sent back, in the caller's transaction, as long as its payment waits. The order's payout at a
 * bank file is the caller's to end.
 *
 * @returns the id of the order.
 * @throws {Problem} `action-not-possible`
 */
export async function reverseReturned(tx: Db<Tables>, rail: string, paymentId: string): Promise<string> {
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('cause', '=', returnCause(rail, paymentId))
    .forUpdate()
    .executeTakeFirst()
  if (!order || order.state === 'paid' || order.state === 'failed')
    throw notPossible('The money was sent back already.')
  if (order.transfer_id !== null)
    throw notPossible(
      'The customer knows already that the money goes back, and their transaction ends with it.',
    )
  await reverseReceipt(tx, paymentId, 'returned', 'unmatched')
  await tx
    .updateTable('rail_orders')
    .set({ state: 'failed', taken_back: true })
    .where('id', '=', order.id)
    .execute()
  await reverseEntry(tx, `rail:${rail}:${paymentId}`)
  return order.id
}

/** @returns the receipt as it was. Throws `action-not-possible`. */
export async function reverseReceipt(
  tx: Db<Tables>,
  paymentId: string,
  ...outcomes: ('accepted' | 'returned' | 'unmatched')[]
): Promise<{ transfer_id: string | null }> {
  const row = await tx
    .updateTable('rail_receipts')
    .set({ outcome: 'reversed', why: 'people reversed their decision' })
    .where('payment_id', '=', paymentId)
    .where('outcome', 'in', outcomes)
    .returning('transfer_id')
    .executeTakeFirst()
  if (!row) throw notPossible('Nothing was recorded as received for it.')
  return row
}

/**
 * Takes back how an order ended, in the caller's transaction: it is at the bank again.
 *
 * @throws {Problem} `action-not-possible`: the customer was refunded on the ledger, or is being refunded.
 */
export async function reverseOrderEnd(
  deps: Deps,
  tx: Transaction<Tables>,
  orderId: string,
): Promise<RailOrder> {
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (order.state !== 'paid' && order.state !== 'failed') throw notPossible('Its payout has not ended.')
  if (order.state === 'paid' && order.failure !== null) {
    await reverseSentBack(tx, order)
    return order
  }
  if (order.state === 'failed' && order.kind === 'payout') {
    await cancelRefund(tx, order)
    if (await isRecorded(tx, `kept:${order.id}`)) await reverseEntry(tx, `kept:${order.id}`)
  }
  await tx
    .updateTable('rail_orders')
    .set({
      state: 'sent',
      failure: null,
      bank_kept: null,
      next_try_at: sql<Date>`'infinity'`,
      ...(await openedAgain(deps, tx, order)),
    })
    .where('id', '=', order.id)
    .execute()
  if (order.state === 'paid' || order.kind === 'payout') await reverseEntry(tx, `order:${order.cause}`)
  if (order.transfer_id !== null) await reopenTransfer(tx, await lockTransfer(tx, order.transfer_id), order)
  deps.faults.at('order:reopened')
  return order
}

async function cancelRefund(tx: Transaction<Tables>, { transfer_id }: RailOrder): Promise<void> {
  const refund = await tx
    .selectFrom('ledger_payments')
    .selectAll()
    .where('cause', '=', `refund:transfer:${transfer_id}`)
    .executeTakeFirst()
  if (!refund || !(await cancelPayment(tx, refund.id)))
    throw notPossible('The customer was refunded on the ledger for it, or is being refunded at this moment.')
  await release(tx, refund.cause)
}

const PAID_BY_MISTAKE =
  'A bank payment was counted as this one by mistake. The payment to you is still on its way, or is made again.'

async function reopenTransfer(tx: Db<Tables>, transfer: Transfer, order: RailOrder): Promise<void> {
  const message = PAID_BY_MISTAKE
  const pending = { external_transaction_id: order.id, message }
  if (order.kind === 'return') {
    if (order.state === 'failed') return
    await move(tx, transfer, 'returning', { message }, [
      ['notify_transaction_recovery', { message }],
      ['notify_refund_pending', { message }],
    ])
    return
  }
  const recovery = order.state === 'paid' ? [['notify_transaction_recovery', { message }] as const] : []
  await move(tx, transfer, 'paying_out', { message, rail_payment_id: null }, [
    ...recovery.map(([method, params]): ['notify_transaction_recovery', object] => [method, params]),
    ['notify_offchain_funds_pending', pending],
  ])
}
