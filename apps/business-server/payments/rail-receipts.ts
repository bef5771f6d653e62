import { formatAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql } from 'kysely'
import type { RailReport } from '../rails/rail.ts'
import type { RailReceipt, Tables, Transfer } from '../tables.ts'

export type Received = Extract<RailReport, { kind: 'received' }>

/** False: the payment is recorded already. */
export async function addReceipt(
  tx: Db<Tables>,
  rail: string,
  { paymentId, reference, amount, currency }: Received,
  {
    transfer,
    outcome,
    why,
    source = 'rail',
  }: {
    transfer: Transfer | null
    outcome: 'accepted' | 'held' | 'returned' | 'unmatched'
    why: string
    source?: 'rail' | 'operator'
  },
): Promise<boolean> {
  const found = { transfer_id: transfer?.id ?? null, outcome, why, source }
  const first = await tx
    .insertInto('rail_receipts')
    .values({
      rail,
      payment_id: paymentId,
      reference,
      amount: formatAmount(parsePositiveAmount(amount)),
      currency,
      ...found,
    })
    .onConflict(conflict =>
      conflict
        .columns(['rail', 'payment_id'])
        .doUpdateSet(found)
        .where('rail_receipts.outcome', '=', 'reversed'),
    )
    .executeTakeFirst()
  return first.numInsertedOrUpdatedRows !== 0n
}

/** A payment that a rail reported, whatever became of it; null: it is not recorded. */
export async function findReceipt(
  db: Db<Tables>,
  rail: string,
  paymentId: string,
): Promise<RailReceipt | null> {
  const query = db.selectFrom('rail_receipts').selectAll().where('rail', '=', rail)
  return (await query.where('payment_id', '=', paymentId).executeTakeFirst()) ?? null
}

/** The rail reports what a person entered before, under the same id and with the same amount. */
export async function confirmMarked(
  tx: Db<Tables>,
  rail: string,
  { paymentId, amount, currency }: Received,
): Promise<void> {
  await tx
    .updateTable('rail_receipts')
    .set({ confirmed_at: sql<Date>`clock_timestamp()` })
    .where('rail', '=', rail)
    .where('payment_id', '=', paymentId)
    .where('source', '=', 'operator')
    .where('amount', '=', formatAmount(parsePositiveAmount(amount)))
    .where('currency', '=', currency)
    .where('confirmed_at', 'is', null)
    .execute()
}

/** Payments that a person entered, and that the rail has not confirmed. */
export function unconfirmedReceipts(db: Db<Tables>) {
  return db
    .selectFrom('rail_receipts')
    .select(['rail', 'payment_id', 'transfer_id', 'amount', 'currency', 'seen_at'])
    .where('source', '=', 'operator')
    .where('outcome', '=', 'accepted')
    .where('confirmed_at', 'is', null)
    .orderBy('seen_at')
    .limit(1_000)
    .execute()
}

/** Whether the transaction's money was entered by an operator: what comes over the rail may be that money. */
export async function isMarked(tx: Db<Tables>, transferId: string): Promise<boolean> {
  return exists(
    tx
      .selectFrom('rail_receipts')
      .select('payment_id')
      .where('transfer_id', '=', transferId)
      .where('source', '=', 'operator'),
  )
}

/** For which transaction each of these payments was accepted; those for none are left out. */
export async function acceptedFor(
  db: Db<Tables>,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paymentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('rail_receipts')
    .select(['payment_id', 'transfer_id'])
    .where('outcome', '=', 'accepted')
    .where(sql<boolean>`payment_id = any(${paymentIds}::text[])`)
    .execute()
  return new Map(
    rows.flatMap(({ payment_id, transfer_id: id }) => (id === null ? [] : [[payment_id, id] as const])),
  )
}

/** Which of these payments were received over the rail. */
export async function receivedOver(
  db: Db<Tables>,
  rail: string,
  paymentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paymentIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('rail_receipts')
    .select('payment_id')
    .where('rail', '=', rail)
    .where(sql<boolean>`payment_id = any(${paymentIds}::text[])`)
    .execute()
  return new Set(rows.map(({ payment_id }) => payment_id))
}
