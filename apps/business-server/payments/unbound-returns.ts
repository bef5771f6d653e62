import { parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { wasRecorded } from '../money/journal/journal.ts'
import type { RailOrder, Tables } from '../tables.ts'
import { depositsOf } from '../transfers/find.ts'
import { bindOrder } from './bound-orders.ts'
import { returnCause } from './rail-orders.ts'
import { findReceipt } from './rail-receipts.ts'
import { waitColumns } from './waits.ts'

/** The oldest return of a deposit that waits because this server did not order it, or not so, and has not ended; null: none. */
export async function findUnboundReturn(db: Db<Tables>, transferId: string): Promise<RailOrder | null> {
  const query = db
    .selectFrom('rail_orders')
    .selectAll()
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'return')
    .where('wait_code', '=', 'unbound')
    .where('state', 'in', ['queued', 'sent'])
    .orderBy('created_at')
    .orderBy('id')
  return (await query.executeTakeFirst()) ?? null
}

/**
 * Orders a return that waits as it is, in the caller's transaction: two people saw it. Only one that its payment caused, of no
 * more than came, and whose units were not paid on the ledger.
 *
 * @throws {Problem} `action-not-possible`
 */
export async function releaseUnboundReturn(
  deps: Pick<Deps, 'sealer' | 'binder' | 'rails'>,
  tx: Db<Tables>,
  order: RailOrder,
): Promise<void> {
  if (!(await isOfPayment(tx, order)) || (await isReturned(tx, order)) || (await wasPaidFor(tx, order)))
    throw new Problem('action-not-possible', 'What is ordered is not what the payment says.')
  // What a file has waiting already is not handed over again.
  const isFiled = order.state === 'sent' && deps.rails.get(order.rail)?.bankAccount !== undefined
  await tx
    .updateTable('rail_orders')
    .set({
      ...waitColumns(null),
      next_try_at: isFiled ? sql<Date>`'infinity'` : sql<Date>`now()`,
      bound: await bindOrder(deps, tx, order),
    })
    .where('id', '=', order.id)
    .execute()
}

/** Whether a payment that was received caused the return, or another return of it that came back and is paid again. */
async function isOfPayment(tx: Db<Tables>, order: RailOrder): Promise<boolean> {
  const { cause, rail, currency, destination, again_of } = order
  const paymentId = destination.paymentId ?? ''
  const came = await findReceipt(tx, rail, paymentId)
  if (came?.currency !== currency || parseAmount(order.amount) > parseAmount(came.amount)) return false
  if (again_of === null) return cause === returnCause(rail, paymentId)
  return cause === `again:${again_of}` && (await cameBack(tx, again_of, paymentId))
}

const cameBack = (tx: Db<Tables>, id: string, paymentId: string): Promise<boolean> =>
  exists(
    returnsOf(tx, paymentId)
      .where('id', '=', id)
      .where('came_back_at', 'is not', null)
      .where('settled_as', '=', 'paid-again'),
  )

/** Whether the payment was sent back by another order, or is on its way back. */
const isReturned = (tx: Db<Tables>, { id, rail, destination }: RailOrder): Promise<boolean> =>
  exists(
    returnsOf(tx, destination.paymentId ?? '')
      .where('id', '<>', id)
      .where('rail', '=', rail)
      .where('came_back_at', 'is', null)
      .where('state', 'in', ['queued', 'sent', 'paid'])
      .where(sql<boolean>`wait_code is distinct from 'unbound'`),
  )

/**
 * Whether the payment was a deposit's whose units were paid, by the journal, which nobody changes. Which deposit it was the
 * receipt says, the order, or what a deposit has as its payment or reference: someone may have changed some of them.
 */
async function wasPaidFor(tx: Db<Tables>, { rail, destination, transfer_id }: RailOrder): Promise<boolean> {
  const paymentId = destination.paymentId ?? ''
  const came = await findReceipt(tx, rail, paymentId)
  const found = await depositsOf(tx, rail, { paymentId, reference: came?.reference ?? '' })
  for (const id of new Set([transfer_id, came?.transfer_id, ...found]))
    if (id && (await wasRecorded(tx, `payment:deposit:${id}`))) return true
  return false
}

const returnsOf = (tx: Db<Tables>, paymentId: string) =>
  tx
    .selectFrom('rail_orders')
    .select('id')
    .where('kind', '=', 'return')
    .where(sql<boolean>`destination ->> 'paymentId' = ${paymentId}`)
