import { servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { sql, type Transaction } from 'kysely'
import type { Db } from '@windlass/service/postgres/database.ts'
import { rowsOf, scalar } from '@windlass/service/postgres/scalars.ts'
import type { Deps } from '../deps.ts'
import type { LedgerAsset, LedgerPayment, Tables } from '../tables.ts'
import { hold, release } from '../money/treasury/treasury.ts'
import { releaseBlocked } from './blocked.ts'
import { NOT_BOUND, proofOfPayment, type NewPayment } from './bound-payments.ts'
import {
  describeWait,
  OPEN_CODE,
  OPEN_DETAILS,
  openWait,
  waitColumns,
  waitForm,
  waitOf,
  type WaitColumns,
} from './waits.ts'

/** The text memo of a sweep to the cold account. */
export const SWEEP_MEMO = 'sweep'

/**
 * Queues a payment on the ledger, in the caller's transaction, and reserves its amount (not of XLM, which the treasury
 * does not promise, nor what a reclaim brings). A second payment for the same cause is dropped, unless the first one was
 * canceled: then it takes its place.
 *
 * @param isProven whether what it follows from is proven: else it waits for two people.
 */
export async function queuePayment(
  deps: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  payment: NewPayment,
  isProven = true,
): Promise<void> {
  const bound = isProven ? proofOfPayment(deps, { ...payment, reopened: 0 }) : NOT_BOUND
  const queued = await tx
    .insertInto('ledger_payments')
    .values({ ...payment, bound, hash: null, ...waitColumns(null), paid_at: null, fee_charged: null })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .executeTakeFirst()
  const isQueued =
    queued.numInsertedOrUpdatedRows === 1n || (await queueCanceled(deps, tx, payment, isProven))
  const { asset, amount, purpose } = payment
  if (isQueued && asset !== 'native' && purpose !== 'reclaim')
    await hold(tx, { id: reservationOf(payment), asset, amount, expiresAt: null })
}

/**
 * People took back the decision that a payment was canceled for, or by, and took it again: it may be of another amount now, since
 * nothing of it is signed. False: none was canceled.
 */
async function queueCanceled(
  deps: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  payment: NewPayment,
  isProven: boolean,
): Promise<boolean> {
  const { cause, purpose, ...wanted } = payment
  if (purpose !== 'deposit' && purpose !== 'refund') return false
  const canceled = await tx
    .selectFrom('ledger_payments')
    .select(['id', 'reopened'])
    .where('cause', '=', cause)
    .where('purpose', '=', purpose)
    .where('state', '=', 'canceled')
    .forUpdate()
    .executeTakeFirst()
  if (!canceled) return false
  const reopened = canceled.reopened + 1
  const bound = isProven ? proofOfPayment(deps, { ...payment, reopened }) : NOT_BOUND
  await tx
    .updateTable('ledger_payments')
    .set({ ...wanted, reopened, bound, state: 'queued', attempts: 0, next_try_at: sql<Date>`now()` })
    .where('id', '=', canceled.id)
    .execute()
  return true
}

/** The code of a payment's asset; of XLM that of the first asset. */
export const codeOf = ({ config }: Pick<Deps, 'config'>, { asset }: Pick<LedgerPayment, 'asset'>): string =>
  servedAsset(config.anchor, asset === 'native' ? null : asset).code

/** Whether a payment is in units of an asset, not in XLM. */
export const IS_UNITS = sql<boolean>`asset is distinct from 'native'`

/**
 * Refunds of what strangers paid without a transaction. They open no channels and use none, and customers' payments go
 * before them: each costs its sender almost nothing.
 */
export const IS_STRANGERS = sql<boolean>`
  (purpose = 'refund' and transfer_id is null and cause like 'refund:receipt:%')`

/** As {@link IS_STRANGERS}, of a payment that is at hand. */
export const isStrangers = ({
  purpose,
  transfer_id,
  cause,
}: Pick<LedgerPayment, 'purpose' | 'transfer_id' | 'cause'>): boolean =>
  purpose === 'refund' && transfer_id === null && cause.startsWith('refund:receipt:')

/** Cancels a payment that is not made, unless its transaction is signed and may still apply. Returns whether it is. */
export async function cancelPayment(tx: Transaction<Tables>, id: string): Promise<boolean> {
  // A statement of its own: the next one sees a transaction that was signed while this one waited.
  await tx.selectFrom('ledger_payments').select('id').where('id', '=', id).forUpdate().execute()
  const canceled = await tx
    .updateTable('ledger_payments')
    .set({ state: 'canceled', ...waitColumns(null) })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_envelopes')
            .select('hash')
            .where('payment_id', '=', id)
            .where('state', 'in', ['open', 'applied']),
        ),
      ),
    )
    .executeTakeFirst()
  const isCanceled = canceled.numUpdatedRows > 0n
  if (isCanceled) await releaseBlocked(tx, id)
  return isCanceled
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
      .select(['purpose', 'transfer_id', 'cause', 'amount', 'asset'])
      .where('state', '=', 'queued')
      .where(IS_UNITS)
      .where('purpose', '<>', 'reclaim')
      .forUpdate()
      .execute()
    for (const { asset, amount, ...payment } of queued)
      await hold(tx, { id: reservationOf(payment), asset, amount, expiresAt: null })
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

/** A transfer's payments on the ledger, for its operator. */
export async function listPaymentsOf(db: Db<Tables>, transferId: string) {
  const rows = await db
    .selectFrom('ledger_payments')
    .selectAll()
    .where('transfer_id', '=', transferId)
    .orderBy('created_at')
    .execute()
  return rows.flatMap(({ purpose, state, hash, fee_charged, amount, asset, ...columns }) => {
    const waiting = state === 'queued' ? openWait(waitOf(columns)) : null
    // These belong to no transfer.
    return purpose === 'sweep' ||
      purpose === 'open-channels' ||
      purpose === 'close-channels' ||
      purpose === 'deploy-contract'
      ? []
      : {
          purpose,
          status: state,
          asset: asset === 'native' ? ('XLM' as const) : null,
          amount: formatAmount(parseAmount(amount)),
          hash,
          networkFee: fee_charged === null ? null : formatAmount(parseAmount(fee_charged)),
          waitsFor: waiting && describeWait(waiting),
          waiting: waiting && waitForm(waiting),
        }
  })
}

/** How many payments wait for something that everyone may know, and what the oldest waits for. Null: none. */
export const waitingPayments = scalar(
  sql<(WaitColumns & { payments: number }) | null>`
    select json_build_object('payments', count(*) over (), 'wait_code', ${OPEN_CODE}, 'wait_details', ${OPEN_DETAILS})
    from ledger_payments where state = 'queued' and ${OPEN_CODE} is not null order by created_at limit 1`,
  found => {
    const waiting = found && waitOf(found)
    return waiting && { payments: found.payments, reason: describeWait(waiting), ...waitForm(waiting) }
  },
)

/** Units of an asset in claimable balances that were taken back and not paid to their accounts yet. */
export async function reclaimedUnits(db: Db<Tables>, asset: AssetKey): Promise<bigint> {
  const row = await db
    .selectFrom('ledger_payments')
    .select(
      sql<string>`coalesce(sum(case purpose when 'reclaim' then amount else -amount end), 0)::text`.as(
        'units',
      ),
    )
    .where('purpose', 'in', ['reclaim', 'redelivery'])
    .where('state', '=', 'paid')
    .where('asset', 'is not distinct from', asset)
    .executeTakeFirstOrThrow()
  return parseAmount(row.units)
}

/** Payments that wait for XLM or for units of an asset, and how much XLM the oldest of them needs. */
export const shortages = rowsOf<{ of: LedgerAsset; payments: number; missing: string | null }>(sql`
  select case when ${OPEN_CODE} = 'xlm' then 'native' else asset end as of,
    count(*) as payments, (array_agg(${OPEN_DETAILS}->>'missing' order by created_at))[1] as missing
  from ledger_payments
  where state = 'queued' and ${OPEN_CODE} in ('treasury-short', 'treasury-frozen', 'xlm')
  group by 1`)

/** XLM that the ledger charged for the last payment; null where none is known. */
export const lastFee = scalar(
  sql<string | null>`
    select fee_charged::text from ledger_payments where fee_charged is not null order by paid_at desc limit 1`,
  fee => fee && formatAmount(parseAmount(fee)),
)
