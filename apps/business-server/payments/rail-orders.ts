import { createHash } from 'node:crypto'
import { continueFrom } from '@windlass/service/observe/request-context.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { OrderReport, Rail } from '../rails/rail.ts'
import type { RailOrder, Tables } from '../tables.ts'
import type { Destination } from '../transfers/destination.ts'
import { areTermsBound } from '../transfers/bound-terms.ts'
import { originOf } from '../transfers/find.ts'
import type { Asked } from '../transfers/outside.ts'
import { lockAndMove } from '../transfers/move.ts'
import { bindOrder, boundTarget, holdUnbound, openedAgain } from './bound-orders.ts'
import { askOf, isHeldBack, waitsForDispute } from './hold-payments.ts'
import { waitsForProof } from './proofs.ts'
import { settleOrder } from './settle-order.ts'
import { openWait, waitForm, waitOf } from './waits.ts'

interface Order {
  cause: string
  /** The order that came back. */
  again_of?: string
  rail: string
  amount: string
  currency: string
}

/** The cause of a payment's return over a rail, whatever the reason. */
export const returnCause = (rail: string, paymentId: string): string => `return:${rail}:${paymentId}`

/** The id of the order that returns a payment over a rail, whether there is one or not. */
export const returnIdOf = (rail: string, paymentId: string): string => orderIdOf(returnCause(rail, paymentId))

/** A payout goes where its transfer says. */
type NewOrder = Order &
  (
    | { kind: 'payout'; transfer_id: string; destination: { masked: string } }
    | { kind: 'return'; transfer_id: string | null; destination: { paymentId: string } }
  )

/** No proof of anything, even while an upgrade lasts. */
const NOT_BOUND = Buffer.alloc(0)

/**
 * Queues a payment of ours over a rail, in the caller's transaction; a second one for the same cause is dropped. What follows
 * from terms that this server did not agree is not bound, so that it waits.
 *
 * @param isProven whether what it follows from beside the terms of its transfer is proven too.
 */
export async function queueOrder(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  order: NewOrder,
  isProven = true,
): Promise<void> {
  const id = orderIdOf(order.cause)
  const facts = { ...order, id, destination: { ...order.destination }, reopened: 0 }
  const follows = isProven && (order.kind === 'return' || (await areTermsBound(deps, tx, order.transfer_id)))
  const bound = follows ? await bindOrder(deps, tx, facts) : NOT_BOUND
  await tx
    .insertInto('rail_orders')
    .values({ ...order, id, destination: JSON.stringify(order.destination), failure: null, bound })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .execute()
}

/** Opens a return again that people took back, in the caller's transaction: the money is sent back after all. */
export async function reopenReturn(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  rail: string,
  paymentId: string,
): Promise<void> {
  const order = await tx
    .selectFrom('rail_orders')
    .selectAll()
    .where('cause', '=', returnCause(rail, paymentId))
    .where('state', '=', 'failed')
    .where('taken_back', '=', true)
    .forUpdate()
    .executeTakeFirst()
  if (!order) return
  await tx
    .updateTable('rail_orders')
    .set({
      ...{ state: 'queued', taken_back: false, next_try_at: sql<Date>`now()` },
      ...(await openedAgain(deps, tx, order)),
    })
    .where('id', '=', order.id)
    .execute()
}

/** Orders that failed, or whose money a bank sent back, newest first. */
export function failedOrders(db: Db<Tables>, limit: number): Promise<RailOrder[]> {
  return db
    .selectFrom('rail_orders')
    .selectAll()
    .where('failure', 'is not', null)
    .where('created_at', '>', sql<Date>`now() - interval '30 days'`)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Whether one of these orders failed or was taken back, or its money came back. */
export async function haveFailed(db: Db<Tables>, ids: readonly string[]): Promise<boolean> {
  return exists(
    db
      .selectFrom('rail_orders')
      .select('id')
      .where(sql<boolean>`id = any(${ids}::uuid[])`)
      .where(({ eb, or }) => or([eb('failure', 'is not', null), eb('taken_back', '=', true)])),
  )
}

/** The transfer whose money an order moves; null: it is of none, or there is no such order. */
export async function transferOfOrder(db: Db<Tables>, id: string): Promise<string | null> {
  const row = await db.selectFrom('rail_orders').select('transfer_id').where('id', '=', id).executeTakeFirst()
  return row?.transfer_id ?? null
}

/** What the payout of a transaction waits for that everyone may know; null: nothing, or it was sent. */
export async function waitOfPayout(db: Db<Tables>, transferId: string) {
  const row = await db
    .selectFrom('rail_orders')
    .select(['wait_code', 'wait_details'])
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'payout')
    .where('state', '=', 'queued')
    .executeTakeFirst()
  const waiting = row ? openWait(waitOf(row)) : null
  return waiting && waitForm(waiting)
}

/** What was ordered over rails for a transaction, oldest first. */
export function ordersOf(db: Db<Tables>, transferId: string): Promise<RailOrder[]> {
  const query = db.selectFrom('rail_orders').selectAll().where('transfer_id', '=', transferId)
  return query.orderBy('created_at').limit(100).execute()
}

/** The return of a transfer's money that has not ended, as its bank has it; null: none. */
export async function findOpenReturn(db: Db<Tables>, transferId: string) {
  const row = await db
    .selectFrom('rail_orders')
    .select(['id', 'rail', 'amount', 'currency', 'destination'])
    .where('transfer_id', '=', transferId)
    .where('kind', '=', 'return')
    .where('state', 'in', ['queued', 'sent'])
    .executeTakeFirst()
  if (!row) return null
  const { destination, ...order } = row
  return { ...order, kind: 'return' as const, transfer_id: null, line_id: destination.paymentId ?? null }
}

/** The transaction of an order, in a query of another table. */
export const transferOf = (order: RawBuilder<string>) =>
  sql<string>`(select o.transfer_id from rail_orders o where o.id = ${order})`

/** Orders that have not ended for so many days, the oldest first. */
export function openOrders(db: Db<Tables>, days: number): Promise<RailOrder[]> {
  return db
    .selectFrom('rail_orders')
    .selectAll()
    .where('state', 'in', ['queued', 'sent'])
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .orderBy('created_at')
    .limit(1_000)
    .execute()
}

/** Orders over a rail since then, and earlier ones with these ids: one may be sent long after it was queued. */
export function ordersSince(
  db: Db<Tables>,
  rail: string,
  since: Date,
  ids: readonly string[],
): Promise<RailOrder[]> {
  return db
    .selectFrom('rail_orders')
    .selectAll()
    .where('rail', '=', rail)
    .where(sql<boolean>`(created_at > ${since} or id = any(${ids}::uuid[]))`)
    .execute()
}

const OPEN_ORDERS = {
  table: 'rail_orders',
  dueAt: 'next_try_at',
  where: sql`state in ('queued', 'sent')`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
}

/** For the due work. */
export const railOrdersDueAt = firstDueAt(OPEN_ORDERS)

/** Hands orders to their rails. The order's id is the rail's key, so that a repeat after a crash is the same payment. */
export async function sendOrders(deps: Deps): Promise<void> {
  const rows = await claimDue<RailOrder, Tables>(deps.database.db, {
    ...OPEN_ORDERS,
    leaseSeconds: 10,
    limit: 20,
  })
  // Programs outside are asked together, after what needs no answer of theirs: each may take its whole time.
  const { asking = [], others = [] } = Object.groupBy(rows, order =>
    isAskedAbout(order) ? 'asking' : 'others',
  )
  for (const order of others) await trySending(deps, order)
  for (let first = 0; first < asking.length; first += ASKED_AT_ONCE) {
    const some = asking.slice(first, first + ASKED_AT_ONCE)
    const answers = await Promise.all(some.map(order => askBefore(deps, order)))
    for (const [index, order] of some.entries()) await trySending(deps, order, answers[index])
  }
}

/** No more questions at once than there are connections to a program. */
const ASKED_AT_ONCE = 4

const isAskedAbout = ({ kind, state }: RailOrder): boolean => kind === 'payout' && state === 'queued'

/** Null: it failed, and is asked where it is sent. */
async function askBefore(deps: Deps, { id, transfer_id }: RailOrder): Promise<Asked | null> {
  try {
    return await askOf(deps, { transfer_id, goesBack: false })
  } catch (error) {
    deps.logger.warn({ err: error, order: id }, 'programs outside were not asked')
    return null
  }
}

async function trySending(deps: Deps, order: RailOrder, asked?: Asked | null): Promise<void> {
  const origin = await originOf(deps.database.db, order.transfer_id)
  await continueFrom(origin, `send ${order.kind}`, () => sendOrder(deps, order, asked)).catch(
    (error: unknown) => deps.logger.warn({ err: error, order: order.id }, 'the rail did not accept an order'),
  )
}

async function sendOrder(deps: Deps, order: RailOrder, asked?: Asked | null): Promise<void> {
  deps.faults.at('order:taken')
  const target = await targetOf(deps, order)
  if (target === null) return
  if (order.state === 'queued' && (await waitsForProof(deps, order))) return
  if (order.state === 'queued' && (await waitsForDispute(deps, order, target.paymentId ?? ''))) return
  const goesBack = order.kind === 'return'
  const payee = goesBack || isFiled(deps, order) ? undefined : target
  if (
    order.state === 'queued' &&
    (await isHeldBack(deps, 'rail_orders', { ...order, goesBack, payee }, asked))
  )
    return
  const rail = deps.rails.get(order.rail)
  if (!rail) throw new Error(`there is no rail ${order.rail}`)
  const end = await handOver(rail, order, target)
  deps.faults.at('order:handed')
  if (order.state === 'queued') await noteSent(deps, order)
  deps.faults.at('order:noted')
  if (end) await settleOrder(deps, end)
  else await askLater(deps, order)
}

/** Where an order goes. Null: this server did not write it, so it reaches no rail. */
async function targetOf(deps: Deps, order: RailOrder): Promise<Destination | null> {
  const target = await deps.database.db.transaction().execute(async tx => {
    const target = await boundTarget(deps, tx, order)
    if (target === null) await holdUnbound(tx, order.id)
    return target
  })
  if (target !== null) return target
  deps.logger.error({ order: order.id }, 'an order of money was not written by this server')
  deps.wake.emit('conditions')
  return null
}

/** @param target as its proof has it: what the row of the transfer says by now does not count. */
async function handOver(rail: Rail, order: RailOrder, target: Destination): Promise<OrderReport | null> {
  const { id, kind, amount, transfer_id } = order
  if (kind === 'return') return rail.returnPayment(id, target.paymentId ?? '', amount)
  return rail.pay({ id, amount, destination: target, reference: transfer_id ?? id })
}

/** The older an order is, the less often its rail is asked how it ended: a webhook says it sooner. */
async function askLater(deps: Deps, order: RailOrder): Promise<void> {
  if (isFiled(deps, order)) return
  await deps.database.db
    .updateTable('rail_orders')
    .set({
      next_try_at: sql<Date>`now() + greatest(interval '10 seconds', least(interval '1 hour', (now() - created_at) / 4))`,
    })
    .where('id', '=', order.id)
    .where('state', '=', 'sent')
    .execute()
}

const isFiled = (deps: Deps, { rail }: RailOrder): boolean => deps.rails.get(rail)?.bankAccount !== undefined

async function noteSent(deps: Deps, order: RailOrder): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const changed = await tx
      .updateTable('rail_orders')
      // What waits for a bank's file is not sent again.
      .set({ state: 'sent', ...(isFiled(deps, order) ? { next_try_at: sql<Date>`'infinity'` } : {}) })
      .where('id', '=', order.id)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (changed.numUpdatedRows === 0n || order.kind !== 'payout' || !order.transfer_id) return
    await lockAndMove(tx, order.transfer_id, 'paying_out', {}, [
      ['notify_offchain_funds_pending', { external_transaction_id: order.id }],
    ])
  })
  deps.wake.emit('sepCalls')
}

/**
 * The id of a rail order: the same for the same cause, also in an older state of the database, so that the rail
 * recognizes a repeat (RFC 9562, version 8).
 */
export function orderIdOf(cause: string): string {
  const bytes = createHash('sha256').update(cause).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
