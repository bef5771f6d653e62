import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import { bindListed } from '../bind-listed.ts'
import type { Deps } from '../deps.ts'
import type { RailOrder, Tables } from '../tables.ts'
import { isUpgrading } from '../transfers/bound-terms.ts'
import { openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { unboundPayments } from './bound-payments.ts'
import { UNTIL_DECIDED, waitColumns } from './waits.ts'

type Binding = Pick<Deps, 'sealer' | 'binder'>
type Facts = Pick<
  RailOrder,
  'id' | 'cause' | 'transfer_id' | 'kind' | 'rail' | 'amount' | 'currency' | 'destination' | 'reopened'
>

/** The proof that this server ordered exactly this, with the account that it goes to. Throws where that cannot be read. */
export async function bindOrder(deps: Binding, tx: Db<Tables>, order: Facts): Promise<Buffer> {
  return deps.binder.bind(await orderRow(deps, tx, order))
}

/** What of an order is bound, with the account that it goes to. Throws where that cannot be read. */
export async function orderRow({ sealer }: Binding, tx: Db<Tables>, order: Facts): Promise<BoundRow> {
  return rowTo(order, await targetOf(sealer, tx, order))
}

function rowTo(order: Facts, to: Target | null): BoundRow {
  const { id, cause, transfer_id, kind, rail, amount, currency, reopened } = order
  const target = to && (order.kind === 'return' ? (to.paymentId ?? null) : textOf(to))
  return [
    'rail_orders',
    id,
    cause,
    transfer_id,
    kind,
    rail,
    formatAmount(parseAmount(amount)),
    currency,
    target,
    // Each proof is for one turn of the order.
    String(reopened),
  ]
}

/** The payment that goes back, or the account of a payout, as its transfer has it. */
async function targetOf(sealer: Binding['sealer'], tx: Db<Tables>, order: Facts): Promise<Target | null> {
  const { kind, destination, transfer_id } = order
  // An order of an earlier release contains the account.
  if (kind === 'return' || destination.masked === undefined) return destination
  const transfer = transfer_id ? await findTransfer(tx, transfer_id) : null
  return transfer && openDestination(sealer, transfer)
}

type Target = Readonly<Record<string, string>>

const textOf = (destination: Target): string =>
  JSON.stringify(Object.entries(destination).sort(([one], [other]) => (one < other ? -1 : 1)))

/**
 * Whether this server ordered it. What a server of the release before wrote during an upgrade is bound here, in the
 * caller's transaction.
 */
export async function isOrderBound(deps: Binding, tx: Db<Tables>, order: RailOrder): Promise<boolean> {
  return (await boundTarget(deps, tx, order)) !== null
}

/**
 * Where an order goes: exactly what its proof covers, so that nothing is read again before it is handed over. Null: this server
 * did not order it, as {@link isOrderBound}.
 */
export async function boundTarget(deps: Binding, tx: Db<Tables>, order: RailOrder): Promise<Target | null> {
  const target = await targetOf(deps.sealer, tx, order).catch(() => null)
  if (target === null) return null
  const row = rowTo(order, target)
  if (order.bound !== null) return deps.binder.isBound(order.bound, row) ? target : null
  if (!(await isUpgrading(tx))) return null
  await setBound(tx, order.id, deps.binder.bind(row))
  return target
}

/** What opens an order again that people took back: it is bound only where it was. */
export async function openedAgain(
  deps: Binding,
  tx: Db<Tables>,
  order: RailOrder,
): Promise<{ reopened: number; bound?: Buffer }> {
  const reopened = order.reopened + 1
  const target = await boundTarget(deps, tx, order)
  return { reopened, ...(target && { bound: deps.binder.bind(rowTo({ ...order, reopened }, target)) }) }
}

/**
 * Proves what a person sees of a return without a transaction who asks that it is paid again: {@link isAsSeen} accepts
 * nothing else, and it counts nowhere else.
 */
export const seenOrder = ({ binder }: Pick<Deps, 'binder'>, order: Facts, by: string): string =>
  binder.bind(seenRow(order, by)).toString('hex')

/** Whether an order is as the person saw it who asked. */
export const isAsSeen = ({ binder }: Pick<Deps, 'binder'>, order: Facts, seen: string, by: string): boolean =>
  binder.isBound(Buffer.from(seen, 'hex'), seenRow(order, by))

const seenRow = (order: Facts, by: string): BoundRow => ['seen-order', by, ...rowTo(order, order.destination)]

async function setBound(tx: Db<Tables>, id: string, bound: Buffer): Promise<void> {
  await tx.updateTable('rail_orders').set({ bound }).where('id', '=', id).execute()
}

/** Those of these orders that this server ordered, by id, with where they go. The others wait from now on, and the team is notified. */
export async function boundOrders(
  deps: Binding,
  tx: Db<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { order: RailOrder; target: Target }>> {
  const orders = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const bound = new Map<string, { order: RailOrder; target: Target }>()
  for (const order of orders) {
    const target = await boundTarget(deps, tx, order)
    if (target) bound.set(order.id, { order, target })
    else await holdUnbound(tx, order.id)
  }
  return bound
}

/** Keeps an order from its rail. */
export async function holdUnbound(tx: Db<Tables>, id: string): Promise<void> {
  await tx
    .updateTable('rail_orders')
    .set({ next_try_at: UNTIL_DECIDED, ...waitColumns({ code: 'unbound' }) })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'sent'])
    .execute()
}

/** Orders to rails and payments on the ledger that wait because this server did not order them, or not so. */
export const unboundOrders = scalar(
  sql<number>`select ${unboundPayments}
    + (select count(*) from rail_orders where wait_code = 'unbound' and state in ('queued', 'sent'))`,
  Number,
)

/** Binds what the migration listed of earlier releases; what cannot be read stays on the list. */
export async function bindEarlierOrders(deps: Binding & Pick<Deps, 'database' | 'logger'>): Promise<void> {
  await bindListed(deps, { table: 'orders_to_bind', column: 'order_id' }, async (tx, id) => {
    const query = tx.selectFrom('rail_orders').selectAll().where('id', '=', id)
    const order = await query.forUpdate().executeTakeFirst()
    if (order?.bound === null) await setBound(tx, id, await bindOrder(deps, tx, order))
    await tx.deleteFrom('orders_to_bind').where('order_id', '=', id).execute()
  })
}

/** Binds orders under the newest key that are open, or that came back or may still come back. */
export async function bindOrdersAgain(deps: Binding & Pick<Deps, 'database' | 'config'>): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.bindingKeys.keys()
  const mayComeBack = sql<boolean>`settled_as is null
    and (came_back_at is not null or (state = 'paid' and created_at > now() - interval '120 days'))`
  const isOlder = sql<boolean>`substring(bound for 1) <> ${Buffer.from([newest])}`
  const open = (tx: Db<Tables>) =>
    tx
      .selectFrom('rail_orders')
      .where(({ eb, or }) => or([eb('state', 'in', ['queued', 'sent']), mayComeBack]))
      .where(isOlder)
  for (const { id } of await open(db).select('id').execute())
    await db.transaction().execute(async tx => {
      const order = await open(tx).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      const target = order && (await boundTarget(deps, tx, order))
      // What is bound is what was verified: its transfer may be changed meanwhile.
      if (target) await setBound(tx, id, deps.binder.bind(rowTo(order, target)))
    })
}
