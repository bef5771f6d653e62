import { parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { bindOrder } from './bound-orders.ts'
import { lockTransfer } from '../transfers/find.ts'
import { correctPayment } from '../transfers/change.ts'
import { waitColumns } from './waits.ts'

/**
 * The payout of a withdrawal that waits because this server did not order it, or did not agree what it follows from, and that
 * never left; null: none. Only the one that its payment caused: a row that someone else wrote is not it.
 */
export async function findUnboundPayout(db: Db<Tables>, transferId: string): Promise<RailOrder | null> {
  const query = db
    .selectFrom('rail_orders')
    .selectAll()
    .where('cause', '=', `payout:${transferId}`)
    .where('kind', '=', 'payout')
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'unbound')
    .where('handed', '=', false)
  return (await query.executeTakeFirst()) ?? null
}

/**
 * Orders a payout that waits as its transfer says, in the caller's transaction: two people looked at the transfer.
 *
 * @throws {Problem} `action-not-possible`
 */
export async function releaseUnboundPayout(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  transfer: Transfer,
): Promise<void> {
  const order = await findUnboundPayout(tx, transfer.id)
  if (!order || !isOf(order, transfer))
    throw new Problem('action-not-possible', 'What is ordered is not what the transaction says. Refund it.')
  await tx
    .updateTable('rail_orders')
    .set({ ...waitColumns(null), next_try_at: sql<Date>`now()`, bound: await bindOrder(deps, tx, order) })
    .where('id', '=', order.id)
    .execute()
}

/**
 * Has a withdrawal that is given back say what came for it, in the caller's transaction: its own row may say more, or name another
 * account.
 *
 * @throws {Problem} `action-not-possible`
 */
export async function setAsPaid(tx: Db<Tables>, transferId: string): Promise<void> {
  const { stellar_account: account } = await lockTransfer(tx, transferId)
  const [came, another] = await tx
    .selectFrom('ledger_receipts')
    .select(['amount', 'sender'])
    .where('transfer_id', '=', transferId)
    .where('outcome', '=', 'accepted')
    .limit(2)
    .execute()
  if (!came || another) throw new Problem('action-not-possible', 'It is not known what was paid for it.')
  const { amount, sender } = came
  const stellar_account = baseAccount(account) === sender ? account : sender
  await correctPayment(tx, transferId, { amount, stellar_account })
}

const isOf = (order: RailOrder, { id, rail, currency, fiat_amount }: Transfer): boolean =>
  [order.transfer_id, order.rail, order.currency].join() === [id, rail, currency].join() &&
  parseAmount(order.amount) === parseAmount(fiat_amount ?? '0') &&
  // Its transfer says where it goes.
  order.destination.masked !== undefined
