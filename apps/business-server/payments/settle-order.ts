import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { forgetFact } from '../money/bound-facts/bound-facts.ts'
import { recordOrder } from '../money/journal/entries.ts'
import type { OrderReport } from '../rails/rail.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { releaseBlocked } from './blocked.ts'
import { releasedPayouts } from './other-holder.ts'
import { refundRest } from './refund-rest.ts'
import { noteReturnFailed, noteSentBack, refundSent } from './sent-back.ts'

/**
 * Records how a rail ended an order: the first report counts. Unknown orders are ignored, those of another rail than the one
 * that reports, and reports about another amount or of the return of another payment. What a bank sends back after it was paid waits for people.
 */
export async function settleOrder(deps: Deps, report: OrderReport, rail?: string): Promise<void> {
  deps.faults.at('order:reported')
  await deps.database.db.transaction().execute(tx => recordOrderEnd(deps, tx, report, rail))
  deps.faults.at('order:settled')
  wakeAfterOrder(deps, report)
}

/**
 * As {@link settleOrder}, in the caller's transaction, after which {@link wakeAfterOrder} is called.
 *
 * @param isSeen whether two people decided it.
 */
export async function recordOrderEnd(
  deps: Deps,
  tx: Db<Tables>,
  report: OrderReport,
  rail?: string,
  isSeen = false,
): Promise<void> {
  if (!/^[0-9a-f-]{36}$/.test(report.orderId)) return
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('id', '=', report.orderId)
    .forUpdate()
    .executeTakeFirst()
  if (!order || (rail !== undefined && rail !== order.rail)) return
  if (report.amount !== undefined && parseAmount(report.amount) !== parseAmount(order.amount)) {
    const about = { orderId: order.id, ordered: order.amount, reported: report.amount }
    return deps.logger.error(about, 'a rail reports a payment of ours with another amount')
  }
  if (report.returned !== undefined && report.returned !== order.destination.paymentId) {
    const about = { orderId: order.id, returned: report.returned }
    return deps.logger.error(about, 'a rail reports a return of ours that gives back another payment')
  }
  const failure = report.kind === 'failed' ? report.reason : null
  if (order.state === 'paid' && failure !== null) await noteSentBack(deps, tx, order, failure)
  if (order.state === 'paid' || order.state === 'failed') return
  await tx
    .updateTable('rail_orders')
    .set({ state: report.kind, failure })
    .where('id', '=', order.id)
    .execute()
  await releaseBlocked(tx, order.id)
  await forgetFact(tx, releasedPayouts, order.id)
  const transfer = order.transfer_id ? await lockTransfer(tx, order.transfer_id) : null
  await recordOrder(tx, order, transfer, failure === null)
  if (order.kind === 'return' && failure !== null) return noteReturnFailed(deps, tx, order, transfer, failure)
  if (transfer) await settleTransfer(deps, tx, order, transfer, { failure, isSeen })
}

export function wakeAfterOrder(deps: Deps, { kind }: OrderReport): void {
  if (kind === 'failed') deps.wake.emit('conditions')
  deps.wake.emit('sepCalls')
  deps.wake.emit('ledgerPayments')
}

async function settleTransfer(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer,
  { failure, isSeen }: { failure: string | null; isSeen: boolean },
): Promise<void> {
  if (order.kind === 'return') {
    if (failure === null)
      await move(tx, transfer, 'returned', {}, [refundSent(order, transfer.message ?? undefined)])
    return
  }
  if (failure === null) {
    await move(tx, transfer, 'completed', { rail_payment_id: order.id }, [
      ['notify_offchain_funds_sent', { external_transaction_id: order.id }],
    ])
    return
  }
  const message = `The payout failed and the payment is refunded: ${failure}.`
  await refundRest(deps, tx, order, transfer, { message, isSeen })
}
