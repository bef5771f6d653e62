import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import type { Deps } from '../deps.ts'
import { recordOrder, recordSentBack } from '../journal/entries.ts'
import type { OrderReport } from '../rails/rail.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { publishEvent } from '../webhooks/publish.ts'
import { queuePayment } from './ledger-payments.ts'

/**
 * Records how a rail ended an order: the first report counts. Unknown orders are ignored. A payout that a bank sends
 * back after it was paid changes nothing that wallets have seen; operators are notified and have to act.
 */
export async function settleOrder(deps: Deps, report: OrderReport): Promise<void> {
  deps.faults.at('order:reported')
  await deps.database.db.transaction().execute(tx => recordOrderEnd(deps, tx, report))
  deps.faults.at('order:settled')
  wakeAfterOrder(deps, report)
}

/** As {@link settleOrder}, in the caller's transaction, after which {@link wakeAfterOrder} is called. */
export async function recordOrderEnd(deps: Deps, tx: Db<Tables>, report: OrderReport): Promise<void> {
  if (!/^[0-9a-f-]{36}$/.test(report.orderId)) return
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('id', '=', report.orderId)
    .forUpdate()
    .executeTakeFirst()
  if (!order) return
  const failure = report.kind === 'failed' ? report.reason : null
  if (order.state === 'paid' && failure !== null) await noteSentBack(deps, tx, order, failure)
  if (order.state === 'paid' || order.state === 'failed') return
  await tx
    .updateTable('rail_orders')
    .set({ state: report.kind, failure })
    .where('id', '=', order.id)
    .execute()
  const transfer = order.transfer_id ? await lockTransfer(tx, order.transfer_id) : null
  await recordOrder(tx, order, transfer, failure === null)
  if (transfer) await settleTransfer(deps, tx, order, transfer, failure)
}

export function wakeAfterOrder(deps: Deps, { kind }: OrderReport): void {
  if (kind === 'failed') deps.wake.emit('conditions')
  deps.wake.emit('sepCalls')
  deps.wake.emit('ledgerPayments')
}

/** Once for each order. */
async function noteSentBack(deps: Deps, tx: Db<Tables>, order: RailOrder, reason: string): Promise<void> {
  if (order.failure !== null) return
  await tx.updateTable('rail_orders').set({ failure: reason }).where('id', '=', order.id).execute()
  await recordSentBack(tx, order)
  deps.logger.error({ order: order.id, reason }, 'a bank sent a payment of ours back')
  await publishEvent(tx, 'rail.payment_sent_back', trouble(order, reason))
}

const trouble = ({ id, transfer_id, rail, amount, currency }: RailOrder, reason: string) => ({
  orderId: id,
  transactionId: transfer_id,
  rail,
  amount: formatAmount(parseAmount(amount)),
  currency,
  reason,
})

async function settleTransfer(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer,
  failure: string | null,
): Promise<void> {
  if (order.kind === 'return') {
    const amount = { amount: formatAmount(parseAmount(order.amount)), asset: `iso4217:${order.currency}` }
    const amount_fee = { amount: '0', asset: amount.asset }
    if (failure !== null) {
      deps.logger.error({ order: order.id, failure }, 'a rail cannot return money')
      await publishEvent(tx, 'rail.return_failed', trouble(order, failure))
      return
    }
    const { message } = transfer
    await move(tx, transfer, 'returned', {}, [
      [
        'notify_refund_sent',
        { refund: { id: order.id, amount, amount_fee }, ...(message ? { message } : {}) },
      ],
    ])
    return
  }
  if (failure === null) {
    await move(tx, transfer, 'completed', { rail_payment_id: order.id }, [
      ['notify_offchain_funds_sent', { external_transaction_id: order.id }],
    ])
    return
  }
  const message = `The payout failed and the payment is refunded: ${failure}.`
  await move(tx, transfer, 'returning', { message }, [['notify_refund_pending', { message }]])
  await queuePayment(tx, {
    cause: `refund:transfer:${transfer.id}`,
    transfer_id: transfer.id,
    purpose: 'refund',
    destination: transfer.stellar_account,
    amount: transfer.amount ?? '0',
    asset: transfer.asset,
    // A muxed address names the customer by itself.
    ...(transfer.stellar_account.startsWith('M')
      ? { memo: null, memo_type: null }
      : { memo: transfer.refund_memo, memo_type: transfer.refund_memo_type }),
    claimable: false,
  })
}
