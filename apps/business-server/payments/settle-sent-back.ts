import { formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { recordPayoutRefund } from '../money/journal/entries.ts'
import { forgetFact } from '../money/bound-facts/bound-facts.ts'
import { isRecorded, reverseEntry } from '../money/journal/journal.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import {
  type Destination,
  maskAccount,
  openDestination,
  replaceDestination,
} from '../transfers/destination.ts'
import { isReceivedBound, keepBound } from '../transfers/bound-terms.ts'
import { lockTransfer } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { isOrderBound } from './bound-orders.ts'
import { orderIdOf } from './rail-orders.ts'
import { borneByCustomer, keptBy, refundRest } from './refund-rest.ts'
import { cameBackFacts, holdTransfer } from './sent-back.ts'
import { setAsPaid } from './unbound-payouts.ts'
import { queueOrder } from './rail-orders.ts'

/**
 * Pays what came back again, in the caller's transaction, as an order of its own. Of a withdrawal also to another account.
 *
 * What came back without the proof that this server ordered it is not bound again, unless two people saw it.
 *
 * @param account where it is paid now; null: where it was.
 * @returns the new order.
 */
export async function payAgain(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  found: Transfer | null,
  account: Destination | null,
  isSeen = false,
): Promise<Pick<RailOrder, 'id' | 'kind' | 'rail' | 'amount' | 'currency'>> {
  const transfer = found && (await openAgain(deps, tx, order, found))
  if (order.kind === 'payout' && transfer && !isWithin(order, transfer))
    throw new Problem('action-not-possible', 'What came back is not what the transaction says. Refund it.')
  const isProven = isSeen || (await isOrderBound(deps, tx, order))
  await settle(tx, order, 'paid-again')
  if (transfer && account)
    await keepBound(deps, tx, transfer.id, () => replaceDestination(tx, deps.sealer, transfer.id, account))
  const { rail, currency, destination } = order
  const kept = await borneByCustomer(tx, order)
  const amount = await amountOfAgain(tx, order)
  const message = kept === 0n ? PAID_AGAIN : `${keptBy(order, kept)} The anchor pays the rest again.`
  const again = { cause: `again:${order.id}`, rail, amount, currency, again_of: order.id }
  const made = { id: orderIdOf(again.cause), kind: order.kind, rail, amount, currency }
  if (order.kind === 'payout' && transfer) {
    const to = account ?? openDestination(deps.sealer, transfer)
    const masked = maskAccount(to.dest ?? '')
    const payout = { ...again, kind: 'payout', transfer_id: transfer.id, destination: { masked } } as const
    await queueOrder(deps, tx, payout, isProven)
    // Wallets see it under way once the rail has it.
    await move(tx, transfer, 'funded', { message, rail_payment_id: null }, [])
    return made
  }
  const paymentId = destination.paymentId ?? ''
  const back = {
    ...again,
    kind: 'return',
    transfer_id: transfer?.id ?? null,
    destination: { paymentId },
  } as const
  await queueOrder(deps, tx, back, isProven)
  if (transfer)
    await move(tx, transfer, 'returning', { message: PAID_AGAIN }, [
      ['notify_refund_pending', { message: PAID_AGAIN }],
    ])
  return made
}

/** Whether an order is not of more than its withdrawal says, nor over another rail. */
const isWithin = (order: RailOrder, { rail, currency, fiat_amount }: Transfer): boolean =>
  order.rail === rail &&
  order.currency === currency &&
  parseAmount(order.amount) <= parseAmount(fiat_amount ?? '0')

/** What is paid of a payment that came back. */
export async function amountOfAgain(tx: Db<Tables>, order: RailOrder): Promise<string> {
  return formatAmount(subtract(parseAmount(order.amount), await borneByCustomer(tx, order)))
}

const PAID_AGAIN = 'The bank sent the payment back. The anchor pays it again.'

/**
 * Gives the units of a withdrawal back on the ledger whose payout came back, in the caller's transaction. Where nothing proves
 * what came for it, two people decided, and it gives back what its receipt says.
 */
export async function refundSentBack(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  stored: Transfer,
): Promise<void> {
  const isProven = await isReceivedBound(deps, tx, stored)
  if (!isProven) await setAsPaid(tx, stored.id)
  const found = isProven ? stored : await lockTransfer(tx, stored.id)
  const transfer = await openAgain(deps, tx, order, found)
  await settle(tx, order, 'refunded')
  await recordPayoutRefund(tx, order, transfer)
  await refundRest(deps, tx, order, transfer, { message: REFUNDED, isSeen: true })
}

const REFUNDED = 'The bank sent the payment back, and you are refunded on the ledger.'

async function settle(tx: Db<Tables>, { id }: RailOrder, as: 'paid-again' | 'refunded'): Promise<void> {
  await tx.updateTable('rail_orders').set({ settled_as: as }).where('id', '=', id).execute()
  await forgetFact(tx, cameBackFacts, id)
}

/** An earlier release left the transaction as it was, and the money in suspense: both are put as they are now. */
async function openAgain(
  deps: Deps,
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer,
): Promise<Transfer> {
  const before = `sent-back:${order.id}`
  if ((await isRecorded(tx, before)) && (await isRecorded(tx, `order:${order.cause}`))) {
    await reverseEntry(tx, before)
    await reverseEntry(tx, `order:${order.cause}`)
  }
  if (transfer.state === 'sent_back') return transfer
  await holdTransfer(tx, transfer, order, order.failure ?? 'the bank sent it back')
  const held = await lockTransfer(tx, transfer.id)
  deps.logger.info({ order: order.id }, 'a payment that came back before is decided now')
  return held
}
