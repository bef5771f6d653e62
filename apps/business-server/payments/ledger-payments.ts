import { sql } from 'kysely'
import type { Db } from '@windlass/service/database.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { hold, release } from '../treasury/treasury.ts'

type NewPayment = Pick<
  LedgerPayment,
  'cause' | 'transfer_id' | 'purpose' | 'destination' | 'amount' | 'memo' | 'memo_type' | 'claimable'
> &
  Partial<Pick<LedgerPayment, 'asset'>>

/**
 * Queues a payment on the ledger, in the caller's transaction, and reserves its amount (not of XLM, which the treasury
 * does not promise). A second payment for the same cause is dropped.
 */
export async function queuePayment(tx: Db<Tables>, payment: NewPayment): Promise<void> {
  const queued = await tx
    .insertInto('ledger_payments')
    .values({ asset: null, ...payment, hash: null, waits_for: null, paid_at: null })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .executeTakeFirst()
  if (queued.numInsertedOrUpdatedRows && !payment.asset)
    await hold(tx, reservationOf(payment), payment.amount)
}

/** The reservation of a payment: a deposit's is its transfer's, made when the customer agreed. */
export const reservationOf = ({
  purpose,
  transfer_id,
  cause,
}: Pick<LedgerPayment, 'purpose' | 'transfer_id' | 'cause'>): string =>
  purpose === 'deposit' && transfer_id !== null ? transfer_id : cause

/**
 * Makes reservations fit the payments again after an older version of this server queued or paid some: it reserved
 * nothing for refunds.
 */
export async function matchReservations(db: Db<Tables>): Promise<void> {
  await db.transaction().execute(async tx => {
    const queued = await tx
      .selectFrom('ledger_payments')
      .select(['purpose', 'transfer_id', 'cause', 'amount'])
      .where('state', '=', 'queued')
      .where('asset', 'is', null)
      .forUpdate()
      .execute()
    for (const payment of queued) await hold(tx, reservationOf(payment), payment.amount)
    const paid = await tx
      .selectFrom('ledger_payments')
      .select(['purpose', 'transfer_id', 'cause'])
      .where('purpose', '=', 'refund')
      .where('paid_at', '>', sql<Date>`now() - interval '7 days'`)
      .execute()
    await release(tx, ...paid.map(reservationOf))
  })
}

/** The transactions on the ledger by which a transfer's payments were refunded, in their order. */
export async function refundHashes(db: Db<Tables>, transferId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ledger_payments')
    .select('hash')
    .where('transfer_id', '=', transferId)
    .where('purpose', '=', 'refund')
    .where('state', '=', 'paid')
    .orderBy('paid_at')
    .execute()
  return rows.flatMap(({ hash }) => hash ?? [])
}
