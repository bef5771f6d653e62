import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { LedgerAsset, Tables } from '../tables.ts'
import type { IncomingPayment } from './incoming-payment.ts'

/** How long after a refund a payment of its receiver may be its answer. */
const ANSWERS_FOR = sql`interval '30 days'`
/** What the other side may keep of a refund when it sends it back: a tenth. */
const LEAST_SHARE = sql<string>`0.9`

/** Why a payment is never sent back by itself: its sender may send a refund back again, without an end. */
export type CameBack =
  /** Its memo names the transaction that it returns (SEP-29 and the ledger's own `return`). */
  | { reason: 'memo-return'; transaction: string }
  /** About as much was refunded to its sender before. */
  | { reason: 'answers-refund'; transaction: string }

/** Null: nothing says that the payment answers one of ours. */
export async function findCameBack(tx: Db<Tables>, payment: IncomingPayment): Promise<CameBack | null> {
  const { memoType, memo } = payment
  // Horizon writes the hash in base64.
  if (memoType === 'return')
    return { reason: 'memo-return', transaction: Buffer.from(memo ?? '', 'base64').toString('hex') }
  const answered = await findAnsweredRefund(tx, payment)
  return answered === null ? null : { reason: 'answers-refund', transaction: answered }
}

/** The transaction of a refund to the sender that was signed before, of this amount or a little more. */
async function findAnsweredRefund(
  tx: Db<Tables>,
  { sender, amount, asset, closedAt }: IncomingPayment,
): Promise<string | null> {
  const refunds = await tx
    .selectFrom('ledger_payments as p')
    .innerJoin('ledger_envelopes as e', 'e.payment_id', 'p.id')
    .select(['p.destination', 'e.hash'])
    .where('p.purpose', '=', 'refund')
    .where('p.asset', 'is not distinct from', asset)
    .where(sql<boolean>`p.amount >= ${amount} and p.amount * ${LEAST_SHARE} <= ${amount}`)
    .where('e.state', 'in', ['open', 'applied'])
    .where('e.ledger_closed_at', '<=', closedAt)
    .where(sql<boolean>`p.created_at > ${closedAt}::timestamptz - ${ANSWERS_FOR}`)
    .execute()
  return refunds.find(({ destination }) => baseAccount(destination) === sender)?.hash ?? null
}

/** Whether the account returned a payment of the asset since then. */
export async function hasReturned(
  db: Db<Tables>,
  { sender, asset, since }: { sender: string; asset: LedgerAsset; since: Date },
): Promise<boolean> {
  return exists(
    db
      .selectFrom('ledger_receipts')
      .select('id')
      .where('sender', '=', sender)
      .where('asset', 'is not distinct from', asset)
      .where('memo_type', '=', 'return')
      .where('seen_at', '>', since),
  )
}
