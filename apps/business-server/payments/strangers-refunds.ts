import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { hold, release } from '../money/treasury/treasury.ts'
import type { LedgerAsset, Tables, Transfer } from '../tables.ts'
import { gatheredCause } from './cause.ts'
import { type IncomingPayment, refundOf } from './incoming-payment.ts'
import { queuePayment } from './ledger-payments.ts'
import { restoredAt } from './restored.ts'

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

/** Queues the refund of a payment without a transaction, in the caller's transaction, or sets it aside until it leaves with others. */
export async function refundStranger(
  tx: Db<Tables>,
  payment: IncomingPayment,
  {
    fee,
    memoOf,
    isPaid,
  }: {
    fee: Amount
    memoOf: Pick<Transfer, 'refund_memo' | 'refund_memo_type'> | undefined
    /** Whether the ledger has this very refund: it is recognized by its own cause. */
    isPaid: boolean
  },
): Promise<void> {
  const amount = formatAmount(amountOf(parseAmount(payment.amount) - fee))
  const refund = { ...refundOf(payment, null, memoOf), amount }
  if (isPaid) return queuePayment(tx, refund)
  const { count } = await tx
    .selectFrom('ledger_receipts')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('sender', '=', payment.sender)
    .where('outcome', '=', 'returned')
    .where('transfer_id', 'is', null)
    .where('seen_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  if (Number(count) <= EACH_HOUR) return queuePayment(tx, refund)
  const { cause, destination: return_to, asset, memo, memo_type } = refund
  const leave_at = sql<Date>`now() + interval '1 hour'`
  await tx
    .insertInto('gathered_refunds')
    .values({ cause, return_to, asset, amount, memo, memo_type, leave_at, paid_by: null })
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
    const groupOf = ({ return_to, asset, memo, memo_type, created_at }: (typeof waiting)[number]) =>
      JSON.stringify([
        ...[return_to, asset, memo_type, memo_type === 'return' ? null : memo],
        restored !== null && created_at <= restored,
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
      await queuePayment(tx, {
        ...{ cause, destination, asset, memo, memo_type, amount: formatAmount(sum) },
        ...{ transfer_id: null, purpose: 'refund', claimable: false },
      })
      await tx.updateTable('gathered_refunds').set({ paid_by: cause }).where('cause', 'in', causes).execute()
    }
  })
  deps.wake.emit('ledgerPayments')
}
