import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql, type Selectable } from 'kysely'
import { type FactKind } from '../money/bound-facts/bound-facts.ts'
import { personOf } from '../people/customers/tiers.ts'
import type { DisputeReport } from '../rails/rail.ts'
import type { RailDisputeTable, Tables, Transfer } from '../tables.ts'
import { ofCustomerOf } from './debts.ts'

/*
 * Disputes of payments that came (docs/adr/0178): a bank, a card's or an app's issuer asks for the money back.
 */

export type RailDispute = Selectable<RailDisputeTable>

/** Records a dispute the first time, and locks it. */
export async function lockDispute(
  tx: Db<Tables>,
  rail: string,
  now: DisputeReport,
  transfer: Transfer | null,
): Promise<RailDispute> {
  const of = transfer && {
    transfer_id: transfer.id,
    person: transfer.person ?? (await personOf(tx, transfer.account, transfer.account_memo)).id,
    account: transfer.account,
    account_memo: transfer.account_memo,
  }
  await tx
    .insertInto('rail_disputes')
    .values({
      rail,
      dispute_id: now.disputeId,
      payment_id: now.paymentId,
      ...columnsOf(now),
      ...(of ?? NOBODYS),
    })
    .onConflict(conflict => conflict.columns(['rail', 'dispute_id']).doNothing())
    .execute()
  const query = tx.selectFrom('rail_disputes').selectAll().where('rail', '=', rail)
  return query.where('dispute_id', '=', now.disputeId).forUpdate().executeTakeFirstOrThrow()
}

const NOBODYS = { transfer_id: null, person: null, account: null, account_memo: null }

const columnsOf = ({ currency, amount, state, round, deducted, reason, respondBy }: DisputeReport) => ({
  ...{ currency, amount, state, round, deducted, reason, respond_by: respondBy },
})

/** How far a dispute is, as its provider said. */
export const disputeFacts: FactKind = {
  kind: 'dispute',
  rowOf: async (_, tx, id) => {
    const at = id.indexOf(':')
    const query = tx.selectFrom('rail_disputes').select(['rail', 'dispute_id', 'state', 'round'])
    const ofRail = query.where('rail', '=', id.slice(0, at))
    const row = await ofRail.where('dispute_id', '=', id.slice(at + 1)).executeTakeFirst()
    return row ? [row.rail, row.dispute_id, row.state, String(row.round)] : null
  },
}

/** Names a dispute among those of every rail. */
export const disputeKey = ({ rail, dispute_id }: Pick<RailDispute, 'rail' | 'dispute_id'>): string =>
  `${rail}:${dispute_id}`

/** Changes a dispute that is locked. */
export async function changeDispute(
  tx: Db<Tables>,
  { rail, dispute_id }: RailDispute,
  change: { now: DisputeReport } | Pick<RailDispute, 'booked' | 'booked_as'>,
): Promise<void> {
  await tx
    .updateTable('rail_disputes')
    .set({ ...('now' in change ? columnsOf(change.now) : change), changed_at: sql<Date>`clock_timestamp()` })
    .where('rail', '=', rail)
    .where('dispute_id', '=', dispute_id)
    .execute()
}

/** Whether a dispute took the money of a payment back, which then counts no more, however often it is reported. */
export function isDeducted(tx: Db<Tables>, rail: string, paymentId: string): Promise<boolean> {
  return exists(
    tx
      .selectFrom('rail_disputes')
      .select('dispute_id')
      .where('rail', '=', rail)
      .where('payment_id', '=', paymentId)
      .where('booked_as', '=', 'awaited'),
  )
}

/** Whether a payment is disputed, or its provider took it back, so that nothing of it is sent back besides. */
export function isContested(tx: Db<Tables>, rail: string, paymentId: string): Promise<boolean> {
  return exists(
    tx
      .selectFrom('rail_disputes')
      .select('dispute_id')
      .where('rail', '=', rail)
      .where('payment_id', '=', paymentId)
      .where(({ eb, or }) => or([eb('state', '=', 'open'), eb('deducted', '>', '0')])),
  )
}

/** Whether the customer of a transaction disputes a payment. */
export async function isInDispute(db: Db<Tables>, transfer: Transfer): Promise<boolean> {
  const isTheirs = await ofCustomerOf(db, transfer)
  return exists(
    db.selectFrom('rail_disputes').select('dispute_id').where('state', '=', 'open').where(isTheirs),
  )
}

/** Nothing new is agreed with who disputes a payment. Throws `validation-failed`. */
export async function requireNoDispute(db: Db<Tables>, transfer: Transfer): Promise<void> {
  if (!(await isInDispute(db, transfer))) return
  throw new Problem(
    'validation-failed',
    'a payment of yours is disputed at your bank; wait until that is decided, or contact the anchor',
  )
}

/** Those that are open, and those of which the provider took another amount than is booked, or one that nobody owes. */
export function unsettledDisputes(db: Db<Tables>): Promise<RailDispute[]> {
  return db
    .selectFrom('rail_disputes')
    .selectAll()
    .where(({ or, eb, ref }) =>
      or([eb('state', '=', 'open'), eb('deducted', '<>', ref('booked')), eb('booked_as', '=', 'suspense')]),
    )
    .orderBy('created_at')
    .orderBy('dispute_id')
    .limit(1_000)
    .execute()
}

/** Whether what the provider says now is recorded already. */
export function isKnown(row: RailDispute, now: DisputeReport): boolean {
  const same = (a: string, b: string) => parseAmount(a) === parseAmount(b)
  return (
    row.state === now.state &&
    row.round === now.round &&
    same(row.amount, now.amount) &&
    same(row.deducted, now.deducted) &&
    row.respond_by?.getTime() === now.respondBy?.getTime()
  )
}

export async function knownDisputes(
  db: Db<Tables>,
  rail: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RailDispute>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('rail_disputes').selectAll().where('rail', '=', rail)
  const rows = await query.where(sql<boolean>`dispute_id = any(${ids}::text[])`).execute()
  return new Map(rows.map(row => [row.dispute_id, row]))
}
