import { claimDue } from '@windlass/service/claim-due.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordOrder, recordSentBack } from '../journal/entries.ts'
import { queuePayment } from './ledger-payments.ts'
import type { RailReport } from '../rails/rail.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { publishEvent } from '../webhooks/publish.ts'

interface NewOrder {
  cause: string
  transfer_id: string | null
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  destination: Record<string, string>
}

/** Notes a payment of ours over a rail, in the caller's transaction; a second one for the same cause is dropped. */
export async function queueOrder(tx: Db<Tables>, order: NewOrder): Promise<void> {
  await tx
    .insertInto('rail_orders')
    .values({ ...order, destination: JSON.stringify(order.destination), failure: null })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .execute()
}

/** Hands orders to their rails. The order's id is the rail's key, so that a repeat after a crash is the same payment. */
export async function sendOrders(deps: Deps): Promise<void> {
  const rows = await claimDue<RailOrder, Tables>(deps.database.db, {
    table: 'rail_orders',
    dueAt: 'next_try_at',
    leaseSeconds: 10,
    limit: 20,
    where: sql`state in ('queued', 'sent')`,
    orderBy: 'created_at',
  })
  for (const order of rows) {
    await sendOrder(deps, order).catch((error: unknown) =>
      deps.logger.warn({ err: error, order: order.id }, 'the rail does not take an order'),
    )
  }
}

async function sendOrder(deps: Deps, order: RailOrder): Promise<void> {
  deps.faults.at('order:taken')
  const rail = deps.rails.get(order.rail)
  if (!rail) throw new Error(`there is no rail ${order.rail}`)
  if (order.kind === 'payout') {
    const reference = order.transfer_id ?? order.id
    await rail.pay({ id: order.id, amount: order.amount, destination: order.destination, reference })
  } else {
    await rail.returnPayment(order.id, order.destination.paymentId ?? '', order.amount)
  }
  deps.faults.at('order:handed')
  if (order.state === 'queued') await noteSent(deps, order)
  deps.faults.at('order:noted')
}

async function noteSent(deps: Deps, order: RailOrder): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const changed = await tx
      .updateTable('rail_orders')
      .set({ state: 'sent' })
      .where('id', '=', order.id)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (changed.numUpdatedRows === 0n || order.kind !== 'payout' || !order.transfer_id) return
    const transfer = await lockTransfer(tx, order.transfer_id)
    await move(tx, transfer, 'paying_out', {}, [
      ['notify_offchain_funds_pending', { external_transaction_id: order.id }],
    ])
  })
  deps.wake.emit('sepCalls')
}

/**
 * A rail says how an order of ours ended: once, whatever it says later. Unknown orders are ignored. A payout that a
 * bank sends back after it was paid changes nothing that wallets have seen: people have to act, and are notified.
 */
export async function settleOrder(
  deps: Deps,
  report: Exclude<RailReport, { kind: 'received' }>,
): Promise<void> {
  deps.faults.at('order:reported')
  await deps.database.db.transaction().execute(async tx => {
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
  })
  deps.faults.at('order:settled')
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
      deps.logger.error({ order: order.id, failure }, 'a rail cannot give money back')
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
  const message = `The payout failed and the payment goes back: ${failure}.`
  await move(tx, transfer, 'returning', { message }, [['notify_refund_pending', { message }]])
  await queuePayment(tx, {
    cause: `refund:transfer:${transfer.id}`,
    transfer_id: transfer.id,
    purpose: 'refund',
    destination: transfer.stellar_account,
    amount: transfer.amount ?? '0',
    // A muxed address names the customer by itself.
    ...(transfer.stellar_account.startsWith('M')
      ? { memo: null, memo_type: null }
      : { memo: transfer.refund_memo, memo_type: transfer.refund_memo_type }),
    claimable: false,
  })
}
