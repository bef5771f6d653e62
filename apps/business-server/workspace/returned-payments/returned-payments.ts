import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import {
  addAction,
  finishAction,
  limitFor,
  requireSecond,
  waitingByOrder,
} from '../../money/approvals/approvals.ts'
import type { Deps } from '../../deps.ts'
import { isAsSeen, isOrderBound, seenOrder } from '../../payments/bound-orders.ts'
import { isBackBound, lockReturned } from '../../payments/sent-back.ts'
import { payAgain } from '../../payments/settle-sent-back.ts'
import { releaseUnboundReturn } from '../../payments/unbound-returns.ts'
import { describeWait, waitOf } from '../../payments/waits.ts'
import { thresholdInCurrency } from '../../money/pricing/worth.ts'
import type { RailOrder, StoredAction, Tables } from '../../tables.ts'

/**
 * Pays a return again that came back and belongs to no transaction, or one that waits because this server did not order it so, or writes it down for a second person: above the limit,
 * and where this server has no proof that it ordered it. It leaves as any return does: of a bank's file its account is
 * looked at there.
 *
 * @throws {Problem} `returned-payment-not-found`, `action-not-possible`
 */
export async function payReturnAgain(
  deps: Deps,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<ReturnedPayment> {
  const order = await deps.database.db.transaction().execute(async tx => {
    const order = await lockReturned(tx, id)
    if (order.transfer_id !== null)
      throw new Problem('action-not-possible', 'It belongs to a transaction. Pay it again there.')
    if ((await waitingByOrder(tx, [order.id])).size > 0)
      throw new Problem('action-not-possible', 'This waits for a second person already.')
    const above = await limitFor(deps, tx, by)
    const isProven = await isBackProven(deps, tx, order)
    const twoPeople =
      !isProven ||
      (above !== null && parseAmount(order.amount) > thresholdInCurrency(deps.config, above, order.currency))
    const details: Record<string, string> = isProven ? {} : { seen: seenOrder(deps, order, by) }
    const wanted = { kind: 'pay-again', reason, by, twoPeople, details } as const
    const action = await addAction(deps, tx, { order_id: order.id }, wanted)
    if (twoPeople) return order
    await payOrder(deps, tx, order, false)
    await finishAction(tx, action, 'done', by)
    deps.faults.at('returned-payment:decided')
    return order
  })
  return decided(deps, order)
}

/** @throws {Problem} `returned-payment-not-found`, `action-not-found`, `second-person-needed` */
export async function approveRepayment(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<ReturnedPayment> {
  const order = await deps.database.db.transaction().execute(async tx => {
    const order = await lockReturned(tx, id)
    const action = (await waitingByOrder(tx, [order.id])).get(order.id)
    if (!action)
      throw new Problem('action-not-found', 'Nothing about this payment waits for a second person.')
    if (!approve) {
      await finishAction(tx, action, 'rejected', by)
      return order
    }
    await requireSecond(deps, tx, action, by)
    await payOrder(deps, tx, order, await isSeenByTwo(deps, tx, order, action))
    await finishAction(tx, action, 'done', by)
    deps.faults.at('returned-payment:decided')
    return order
  })
  return decided(deps, order)
}

/** One that never left is not ordered a second time. */
async function payOrder(deps: Deps, tx: Db<Tables>, order: RailOrder, isSeen: boolean): Promise<void> {
  if (order.came_back_at === null) return releaseUnboundReturn(deps, tx, order)
  await payAgain(deps, tx, order, null, null, isSeen)
}

/**
 * Whether two people saw what this server has no proof of. False: its proof says it. What an earlier release had waiting
 * has neither: it is asked for again.
 *
 * @throws {Problem} `action-not-possible`
 */
async function isSeenByTwo(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  { details, requested_by }: StoredAction,
): Promise<boolean> {
  if (details.seen === undefined && (await isBackProven(deps, tx, order))) return false
  if (details.seen !== undefined && isAsSeen(deps, order, details.seen, requested_by)) return true
  throw new Problem('action-not-possible', 'It is not what was asked for. Reject it, and ask again.')
}

/** Whether this server ordered it, and recorded that it came back, where that is why it waits. */
async function isBackProven(deps: Deps, tx: Db<Tables>, order: RailOrder): Promise<boolean> {
  if (!(await isOrderBound(deps, tx, order))) return false
  return order.came_back_at === null || isBackBound(deps, tx, order)
}

async function decided(deps: Deps, order: RailOrder): Promise<ReturnedPayment> {
  deps.wake.emit('railOrders')
  deps.wake.emit('conditions')
  const [form] = await returnedForms(deps, [order])
  if (!form) throw new Error('a payment has no form')
  return form
}

/** Payments that came back as people and developers see them. */
export async function returnedForms(deps: Deps, rows: readonly RailOrder[]): Promise<ReturnedPayment[]> {
  const waiting = await waitingByOrder(
    deps.database.db,
    rows.map(({ id }) => id),
  )
  return rows.map(row => ({
    id: row.id,
    kind: row.kind,
    rail: row.rail,
    amount: formatAmount(parseAmount(row.amount)),
    currency: row.currency,
    transactionId: row.transfer_id,
    reason: row.failure ?? sentenceOf(row),
    since: (row.came_back_at ?? row.created_at).toISOString(),
    hasLeft: row.came_back_at !== null,
    pending: pendingForm(waiting.get(row.id)),
  }))
}

const sentenceOf = (row: RailOrder): string => {
  const wait = waitOf(row)
  return wait ? describeWait(wait) : ''
}

const pendingForm = (action: StoredAction | undefined): ReturnedPayment['pending'] =>
  action
    ? {
        reason: action.reason,
        requestedBy: action.requested_by,
        requestedAt: action.requested_at.toISOString(),
      }
    : null
