import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { hold, release } from '../money/treasury/treasury.ts'
import type { LedgerAsset, Tables, Transfer } from '../tables.ts'
import { isAgreed } from '../transfers/bound-terms.ts'
import { findTransfer } from '../transfers/find.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import { gatheredRow, type NewPayment } from './bound-payments.ts'
import { queuePayment } from './ledger-payments.ts'
import { restoredAt } from './restored.ts'

/** After a reset of the network, other payments have the same ids. */
export const refundCause = ({ hash, id }: Pick<IncomingPayment, 'hash' | 'id'>): string =>
  `refund:receipt:${hash}:${id}`

interface Refund {
  /** The withdrawal that ends by it; null: none does. */
  transfer: Transfer | null
  /** Whose memo the payment has, where it ends nothing. */
  memoOf?: Transfer
  /** What is kept of a stranger's. */
  fee: Amount
  /** Whether the ledger has this very refund: it is recognized by its own cause. */
  isPaid?: boolean
}

/** Queues a refund, in the caller's transaction, or sets a stranger's aside until it leaves with others. */
export async function queueRefund(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  payment: IncomingPayment,
  { transfer, memoOf, fee, isPaid = false }: Refund,
): Promise<void> {
  const refund = await refundOf(deps, tx, payment, { transfer, memoOf: memoOf ?? transfer })
  if (fee > 0n) refund.amount = formatAmount(subtract(payment.units, fee))
  const waits = transfer === null && !isPaid && (await paysOften(tx, payment.sender))
  return waits ? gather(deps, tx, refund) : queuePayment(deps, tx, refund)
}

/** The whole refund of a payment. */
export async function refundOf(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  { hash, id, returnTo, amount, asset }: Omit<IncomingPayment, 'units' | 'served'>,
  { transfer, memoOf }: { transfer: Transfer | null; memoOf: Transfer | null },
): Promise<NewPayment> {
  const memo = await refundMemo(deps, tx, memoOf, hash)
  return {
    ...{ cause: refundCause({ hash, id }), transfer_id: transfer?.id ?? null, purpose: 'refund' },
    ...{ destination: returnTo, amount, asset, claimable: false },
    // A muxed address names the customer by itself, and the ledger allows no memo beside it, nor beside a call.
    ...(/^[MC]/.test(returnTo) ? { memo: null, memo_type: null } : memo),
  }
}

/**
 * The memo of a refund. Without one of the wallet's own choice, SEP-29's and the ledger's own: the hash of what is returned. So
 * also where nothing proves that the wallet chose it, since it says whose money it is at a custodian.
 */
async function refundMemo(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  of: Transfer | null,
  hash: string,
): Promise<Pick<NewPayment, 'memo' | 'memo_type'>> {
  const byHash = { memo: hash, memo_type: 'return' }
  if (!of?.refund_memo) return byHash
  // The payment may have changed its terms in memory: it is read again.
  const agreed = await findTransfer(tx, of.id)
  if (!agreed?.refund_memo || !(await isAgreed(deps, tx, agreed))) return byHash
  return { memo: agreed.refund_memo, memo_type: agreed.refund_memo_type }
}

/*
 * What strangers paid without a transaction goes back, and costs its sender almost nothing (docs/adr/0139): an account gets
 * so many refunds in an hour by transactions of their own, and one for all others.
 */

const EACH_HOUR = 10

/** In asset units, what is kept of a refund to someone who paid without a transaction. */
export async function feeOfRefunds(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  asset: LedgerAsset,
): Promise<Amount> {
  if (asset === 'native') return amountOf(0n)
  const { settings } = await currentSettings(deps, tx)
  return parseAmount(settings.fees.refund ?? '0')
}

/** Whether a sender's payments of the last hour without a transaction are more than are refunded by transactions of their own. */
async function paysOften(tx: Db<Tables>, sender: string): Promise<boolean> {
  const { count } = await tx
    .selectFrom('ledger_receipts')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('sender', '=', sender)
    .where('outcome', '=', 'returned')
    .where('transfer_id', 'is', null)
    .where('seen_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  return Number(count) > EACH_HOUR
}

async function gather(
  { binder }: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  { cause, destination: return_to, asset, amount, memo, memo_type }: NewPayment,
): Promise<void> {
  const refund = { cause, return_to, asset, amount, memo, memo_type }
  const leave_at = sql<Date>`now() + interval '1 hour'`
  await tx
    .insertInto('gathered_refunds')
    .values({ ...refund, bound: binder.bind(gatheredRow(refund)), leave_at, paid_by: null })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .execute()
  if (asset !== 'native') await hold(tx, { id: cause, asset, amount, expiresAt: null })
}

/** For the due work. */
export const gatheredRefundsDueAt = sql<Date | null>`
  select min(leave_at) from gathered_refunds where paid_by is null`

/** Queues one refund for all that wait of each account, asset and memo of its own of which one is due. */
export async function sendGathered(deps: Deps): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const waiting = await tx
      .selectFrom('gathered_refunds')
      .selectAll()
      .where('paid_by', 'is', null)
      .where(
        sql<boolean>`return_to in (select return_to from gathered_refunds where paid_by is null and leave_at <= now())`,
      )
      // Those of one page have one time: after a restore the first is the same one.
      .orderBy('created_at')
      .orderBy('cause')
      .forUpdate()
      .execute()
    const restored = await restoredAt(tx)
    // What waited before an older state was restored may have left: it leaves with nothing else.
    const isProven = (each: (typeof waiting)[number]) => deps.binder.isBound(each.bound, gatheredRow(each))
    const groupOf = (each: (typeof waiting)[number]) =>
      JSON.stringify([
        ...[each.return_to, each.asset, each.memo_type, each.memo_type === 'return' ? null : each.memo],
        ...[restored !== null && each.created_at <= restored, isProven(each)],
      ])
    for (const all of Map.groupBy(waiting, groupOf).values()) {
      const [first] = all
      if (!first) continue
      const causes = all.map(({ cause }) => cause)
      const cause = gatheredCause(first.cause)
      const sum = all.reduce<Amount>(
        (total, { amount }) => amountOf(total + parseAmount(amount)),
        amountOf(0n),
      )
      const { return_to: destination, asset, memo, memo_type } = first
      await release(tx, ...causes)
      const refund = {
        ...{ cause, destination, asset, memo, memo_type, amount: formatAmount(sum) },
        ...{ transfer_id: null, purpose: 'refund' as const, claimable: false },
      }
      await queuePayment(deps, tx, refund, isProven(first))
      await tx.updateTable('gathered_refunds').set({ paid_by: cause }).where('cause', 'in', causes).execute()
    }
  })
  deps.wake.emit('ledgerPayments')
}

const GATHERED = 'refund:receipt:gathered:'

/** Not a receipt's own cause, by which an older state would take the sum for that receipt's refund. Still a stranger's. */
const gatheredCause = (first: string): string => first.replace('refund:receipt:', GATHERED)

export const isGathered = ({ cause }: { cause: string }): boolean => cause.startsWith(GATHERED)

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
  /** A person closed its incident before it proved itself, and may have sent it back by hand. */
  | { reason: 'settled-by-hand'; transaction?: never }

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
