import { type Amount, amountOf, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordOrder, recordSentBack } from '../money/journal/entries.ts'
import { bindFact, type FactKind, forgetFact, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { isRecorded, reverseEntry } from '../money/journal/journal.ts'
import { after } from '../paging.ts'
import type { SepCall } from '../outgoing/sep-calls/sep-calls.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { isReceivedBound } from '../transfers/bound-terms.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'
import { queuePayment } from './ledger-payments.ts'

/*
 * Payments of ours that a bank sends back after they were paid (a closed account, days later), and returns that it cannot
 * pay. Each waits until people pay it again or give the customer the units back (docs/adr/0084).
 */

/** That a payment came back, while people decide about it: what says so without a proof, two of them look at. */
export const cameBackFacts: FactKind = {
  kind: 'came-back',
  rowOf: async (_, tx, id) => {
    const row = await cameBack(tx).where('id', '=', id).executeTakeFirst()
    return row ? [row.came_back_at?.toISOString() ?? null, row.failure] : null
  },
}

/** Whether this server recorded that the payment came back. */
export const isBackBound = (
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { id }: Pick<RailOrder, 'id'>,
): Promise<boolean> => isFactBound(deps, tx, cameBackFacts, id)

/** What developers' webhooks say about an order that did not arrive. */
const troubleOf = ({ id, transfer_id, rail, amount, currency }: RailOrder, reason: string) => ({
  orderId: id,
  transactionId: transfer_id,
  rail,
  amount: formatAmount(parseAmount(amount)),
  currency,
  reason,
})

/** Records that a bank sent a payment back after it was paid, once for each order: the journal is as before the payment. */
export async function noteSentBack(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  reason: string,
): Promise<void> {
  if (order.failure !== null) return
  await tx
    .updateTable('rail_orders')
    .set({ failure: reason, came_back_at: deps.clock.now() })
    .where('id', '=', order.id)
    .execute()
  await bindFact(deps, tx, cameBackFacts, order.id)
  if (await isRecorded(tx, `order:${order.cause}`)) await reverseEntry(tx, `order:${order.cause}`)
  else await recordSentBack(tx, order)
  deps.logger.error({ order: order.id, reason }, 'a bank sent a payment of ours back')
  if (order.transfer_id !== null)
    await holdTransfer(tx, await lockTransfer(tx, order.transfer_id), order, reason)
  await publishEvent(tx, 'rail.payment_sent_back', troubleOf(order, reason))
}

/** Notes what the bank kept of a payment that it sent back, in the caller's transaction. */
export async function noteKept(tx: Db<Tables>, orderId: string, kept: bigint): Promise<void> {
  await tx
    .updateTable('rail_orders')
    .set({ bank_kept: formatAmount(amountOf(kept)) })
    .where('id', '=', orderId)
    .execute()
}

/** Records that a rail cannot pay a return. */
export async function noteReturnFailed(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer | null,
  reason: string,
): Promise<void> {
  await tx
    .updateTable('rail_orders')
    .set({ came_back_at: deps.clock.now() })
    .where('id', '=', order.id)
    .execute()
  await bindFact(deps, tx, cameBackFacts, order.id)
  deps.logger.error({ order: order.id, reason }, 'a rail cannot return money')
  if (transfer) await holdTransfer(tx, transfer, order, reason)
  await publishEvent(tx, 'rail.return_failed', troubleOf(order, reason))
}

/** Its transaction waits for people, and wallets see that. */
export async function holdTransfer(
  tx: Db<Tables>,
  transfer: Transfer,
  { kind }: RailOrder,
  reason: string,
): Promise<void> {
  const what = kind === 'payout' ? 'the payment to you' : 'your refund'
  const next = kind === 'payout' ? 'It is paid again, or you are refunded.' : 'It is paid again.'
  const message = `The bank sent ${what} back: ${reason}. ${next} Contact the anchor if your account has changed.`
  const calls: Partial<Record<Transfer['state'], SepCall[]>> = {
    completed: [['notify_transaction_recovery', { message }]],
    returned: [['notify_transaction_recovery', { message }]],
    // Wallets see the refund under way, as before.
    returning: [['notify_refund_pending', { message }]],
  }
  const told = calls[transfer.state]
  if (told) await move(tx, transfer, 'sent_back', { message }, told)
}

/** The order of a transfer that came back and about which nobody decided yet; null: none. */
export async function findSentBack(db: Db<Tables>, transferId: string): Promise<RailOrder | null> {
  const row = await cameBack(db).where('transfer_id', '=', transferId).executeTakeFirst()
  return row ?? null
}

/** As {@link findSentBack}, by the order's id, locked. Throws `returned-payment-not-found`. */
export const lockSentBack = (tx: Db<Tables>, id: string): Promise<RailOrder> => lockOne(cameBack(tx), id)

/** As {@link lockSentBack}, also a return to nobody's transaction that waits because this server did not order it so. */
export const lockReturned = (tx: Db<Tables>, id: string): Promise<RailOrder> => lockOne(returned(tx), id)

async function lockOne(of: ReturnType<typeof cameBack>, id: string): Promise<RailOrder> {
  const row = await of
    .where(sql`id::text`, '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row) return row
  throw new Problem('returned-payment-not-found', 'No payment that came back and waits has this id.')
}

/** Whether a payment came back and waits, by its order. */
export async function isSentBack(db: Db<Tables>, id: string): Promise<boolean> {
  return exists(cameBack(db).where('id', '=', id))
}

const cameBack = (db: Db<Tables>) =>
  db
    .selectFrom('rail_orders')
    .selectAll()
    .where('came_back_at', 'is not', null)
    .where('settled_as', 'is', null)

const returned = (db: Db<Tables>) =>
  db
    .selectFrom('rail_orders')
    .selectAll()
    .where(
      sql<boolean>`(came_back_at is not null and settled_as is null
        or kind = 'return' and transfer_id is null and wait_code = 'unbound' and state in ('queued', 'sent'))`,
    )

/** Payments that came back and wait, and returns of nobody's that this server did not order so, newest first. */
export function listReturned(db: Db<Tables>, page: PageQuery): Promise<RailOrder[]> {
  const start = pageStart(page)
  let query = returned(db)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** How many payments that came back wait for people. */
export const sentBackWaiting = scalar(
  sql<number>`select count(*) from rail_orders where came_back_at is not null and settled_as is null`,
  Number,
)

/**
 * Sends the units of a withdrawal back to the customer, in the caller's transaction.
 *
 * @param isSeen whether two people decided it; else it waits for them where nothing proves what came and from whom.
 * @param kept what of them the customer bears.
 */
export async function refundUnits(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  transfer: Transfer,
  { message, isSeen, kept = amountOf(0n) }: { message: string; isSeen: boolean; kept?: Amount },
): Promise<void> {
  const isReceived = await isReceivedBound(deps, tx, transfer)
  // What two people decide about one is not its memo, which says whose money it is at a custodian.
  const isMemoProven = isReceived || !transfer.refund_memo || !transfer.ledger_hash
  await move(tx, transfer, 'returning', { message }, [['notify_refund_pending', { message }]])
  const refund = {
    ...{ cause: `refund:transfer:${transfer.id}`, transfer_id: transfer.id, purpose: 'refund' as const },
    destination: transfer.stellar_account,
    amount: formatAmount(subtract(parseAmount(transfer.amount ?? '0'), kept)),
    asset: transfer.asset,
    // A muxed address names the customer by itself.
    ...(transfer.stellar_account.startsWith('M')
      ? { memo: null, memo_type: null }
      : isMemoProven
        ? { memo: transfer.refund_memo, memo_type: transfer.refund_memo_type }
        : { memo: transfer.ledger_hash, memo_type: 'return' }),
    claimable: false,
  }
  await queuePayment(deps, tx, refund, isSeen || isReceived)
}

/**
 * Takes back that a payment came back, in the caller's transaction: it is paid, as before.
 *
 * @throws {Problem} `action-not-possible`: it was paid again, or refunded.
 */
export async function reverseSentBack(tx: Db<Tables>, order: RailOrder): Promise<void> {
  if (order.settled_as !== null)
    throw new Problem('action-not-possible', 'It was paid again, or refunded, since it came back.')
  await tx
    .updateTable('rail_orders')
    .set({ failure: null, came_back_at: null, bank_kept: null })
    .where('id', '=', order.id)
    .execute()
  await forgetFact(tx, cameBackFacts, order.id)
  const transfer = order.transfer_id ? await lockTransfer(tx, order.transfer_id) : null
  if (await isRecorded(tx, `sent-back:${order.id}`)) await reverseEntry(tx, `sent-back:${order.id}`)
  else await recordOrder(tx, order, transfer, true)
  if (transfer?.state !== 'sent_back') return
  if (order.kind === 'payout')
    await move(tx, transfer, 'completed', { message: null, rail_payment_id: order.id }, [
      ['notify_offchain_funds_sent', { external_transaction_id: order.id }],
    ])
  else await move(tx, transfer, 'returned', { message: null }, [refundSent(order)])
}

/** What people said that they had paid at the bank themselves was not paid: it came back and waits, as before. */
export async function reverseByHand(deps: Deps, tx: Db<Tables>, orderId: string): Promise<void> {
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (order.failure !== null) throw new Problem('action-not-possible', 'It came back from the bank since.')
  await noteSentBack(deps, tx, order, 'it was not paid again')
}

/** A refund over the rail arrived. */
export function refundSent({ id, amount: money, currency }: RailOrder, message?: string): SepCall {
  const amount = { amount: formatAmount(parseAmount(money)), asset: `iso4217:${currency}` }
  const amount_fee = { amount: '0', asset: amount.asset }
  return ['notify_refund_sent', { refund: { id, amount, amount_fee }, ...(message ? { message } : {}) }]
}
