import type { Memo } from '@stellar/stellar-sdk/base'
import { assetField, servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { readEnvelope } from '@windlass/stellar/read-envelope.ts'
import { sql, type Insertable, type Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordExchange, recordUnrecorded } from '../money/journal/ledger-entries.ts'
import { unitOf } from '../money/journal/journal.ts'
import type { LedgerIncident, LedgerPayment, Tables, Transfer, UnrecordedPaymentTable } from '../tables.ts'
import { depositsTo } from '../transfers/find.ts'
import { setNotice } from '../transfers/change.ts'
import { causeMark, memoOf } from './build-payment.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import { isGathered, refundCause } from './refunds.ts'
import { hasForeignChannels } from './channels.ts'
import { IS_UNITS } from './ledger-payments.ts'
import { amendIncident, endIncident, openIncident } from './incidents.ts'
import { restoredAt } from './restored.ts'

type Unrecorded = Selectable<UnrecordedPaymentTable>
export type NewUnrecorded = Insertable<UnrecordedPaymentTable>

/** How long money may take over a rail whose payment an operator explained already. */
const LATE_MONEY_MS = 30 * 24 * 60 * 60 * 1_000

/** XLM is not in the journal; what a balance that was taken back brought is recorded with its payment. */
export const isOfAsset = <P extends Pick<NewUnrecorded, 'amount' | 'asset'>>(
  payment: P,
): payment is P & { amount: string; asset: AssetKey } =>
  typeof payment.amount === 'string' && payment.asset !== 'native'

export const causeOf = ({ hash, operation }: Pick<Unrecorded, 'hash' | 'operation'>): string =>
  `unrecorded:${hash}:${operation}`

/**
 * Ends a payment as made where the ledger has it already, made from a later state of this database. False: it is not
 * there. Needs `recordUnknown` before.
 *
 * @throws {Error} where another amount or asset was paid for the same cause: it must not be paid again, and is not that
 *   payment.
 */
export async function adoptUnrecorded(deps: Deps, payment: LedgerPayment): Promise<boolean> {
  const { db } = deps.database
  const open = await db
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('destination', 'in', [payment.destination, baseAccount(payment.destination)])
    .orderBy('ledger_sequence')
    .execute()
  const sent = open.find(each => isFor(deps, each, payment))
  if (!sent) return false
  // A claim names neither.
  if (sent.amount !== null) {
    const found = `by transaction ${sent.hash}`
    if (sent.asset !== payment.asset) throw new Error(`another asset was paid already, ${found}`)
    if (parseAmount(sent.amount) !== parseAmount(payment.amount) && !isPartOf(payment, sent))
      throw new Error(`another amount was paid already, ${found}`)
  }
  await db.transaction().execute(tx => adopt(tx, sent, payment))
  deps.logger.warn({ payment: payment.id, hash: sent.hash }, 'a payment was made before, by a later state')
  return true
}

/** Gathered refunds that an older state knows in part: they left with others, which it does not know. */
const isPartOf = (payment: LedgerPayment, { amount, asset }: Pick<Unrecorded, 'amount' | 'asset'>): boolean =>
  isGathered(payment) &&
  asset === payment.asset &&
  amount !== null &&
  parseAmount(amount) > parseAmount(payment.amount)

function isFor({ config }: Deps, sent: Unrecorded, payment: LedgerPayment): boolean {
  // A claimable balance names no muxed account.
  const { destination } = payment
  if (sent.destination !== destination && sent.destination !== baseAccount(destination)) return false
  const { minTime: mark, memo } = readEnvelope(sent.xdr, config.anchor.network.passphrase)
  if (mark !== 0) return mark === causeMark(payment.cause)
  // Version 0.1 did not mark what it paid.
  const expected = memoOf(payment)
  const sameMemo = memo.type === expected.type && memoText(memo) === memoText(expected)
  const sameAmount = sent.amount !== null && parseAmount(sent.amount) === parseAmount(payment.amount)
  return sameMemo && sameAmount && sent.asset === payment.asset && sent.ledger_closed_at > payment.created_at
}

/** A decoded text is bytes. */
export const memoText = ({ type, value }: Memo): string =>
  type === 'text' && value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)

async function adopt(tx: Db<Tables>, sent: Unrecorded, payment: LedgerPayment): Promise<void> {
  const part = isPartOf(payment, sent)
  const rest = part
    ? formatAmount(amountOf(parseAmount(sent.amount ?? '') - parseAmount(payment.amount)))
    : null
  const adopted = await tx
    .updateTable('unrecorded_payments')
    // What it does not account for is for a person.
    .set(rest === null ? { payment_id: payment.id } : { amount: rest })
    .where('hash', '=', sent.hash)
    .where('operation', '=', sent.operation)
    .where('payment_id', 'is', null)
    .returning('closed')
    .executeTakeFirst()
  if (!adopted) throw new Error('the payment on the ledger was taken for another one')
  await tx
    .insertInto('ledger_envelopes')
    .values({
      hash: sent.hash,
      payment_id: payment.id,
      xdr: sent.xdr,
      source: sent.source,
      sequence: sent.sequence,
      max_time: Number(sent.max_time),
      ledger_sequence: sent.ledger_sequence,
      ledger_hash: sent.ledger_hash,
      ledger_closed_at: sent.ledger_closed_at.toISOString(),
      state: 'applied',
      why: 'made before, by a later state of this database',
    })
    .execute()
  // The payment's own entry follows.
  const entry = `adopted:${sent.hash}:${sent.operation}`
  if (isOfAsset(sent)) {
    const { asset } = sent
    const amount = part ? payment.amount : sent.amount
    await recordUnrecorded(tx, entry, { asset, amount: `-${amount}` })
    if (adopted.closed) await recordExchange(tx, `${entry}:explained`, unitOf(asset), amount)
  }
  if (rest !== null) return amendIncident(tx, 'unrecorded-payment', causeOf(sent), { amount: rest })
  await endIncident(tx, 'unrecorded-payment', causeOf(sent), 'transaction-known')
}

export const existsUnreported = sql<boolean>`
  exists (select from unrecorded_payments where payment_id is null and not reported)`

/** Opens an incident for each payment that no queued payment here accounts for. */
export async function reportUnrecorded(deps: Deps): Promise<void> {
  const { db } = deps.database
  const open = await db
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('reported', '=', false)
    .execute()
  for (const each of open) {
    const queued = await db
      .selectFrom('ledger_payments')
      .selectAll()
      .where('state', '=', 'queued')
      .where(({ or, eb }) => or([eb('destination', '=', each.destination), eb('claimable', '=', true)]))
      .execute()
    if (queued.some(payment => isFor(deps, each, payment))) continue
    await db.transaction().execute(async tx => {
      await tx
        .updateTable('unrecorded_payments')
        .set({ reported: true })
        .where('hash', '=', each.hash)
        .where('operation', '=', each.operation)
        .execute()
      const deposit = await depositOf(deps, tx, each)
      await openIncident(tx, incidentOf(deps, each, deposit))
      if (deposit) await setNotice(tx, deposit.id, 'paid-already')
    })
  }
}

function incidentOf(deps: Deps, sent: Unrecorded, transfer: Transfer | undefined) {
  const unit = sent.asset === 'native' ? 'XLM' : servedAsset(deps.config.anchor, sent.asset).code
  const amount = sent.amount === null ? null : formatAmount(parseAmount(sent.amount))
  return {
    kind: 'unrecorded-payment' as const,
    subject: causeOf(sent),
    details: {
      transaction: sent.hash,
      amount,
      unit,
      ...assetField(sent.asset),
      destination: sent.destination,
      closedAt: sent.ledger_closed_at,
      ...(transfer ? askedAgain(transfer) : {}),
    },
  }
}

/** The deposit whose money the rail has to report again. */
const askedAgain = ({ id, reference, fiat_amount, currency }: Transfer) => ({
  deposit: id,
  reference,
  money: fiat_amount,
  currency,
})

async function depositOf({ config }: Deps, tx: Db<Tables>, sent: Unrecorded): Promise<Transfer | undefined> {
  const { minTime: mark } = readEnvelope(sent.xdr, config.anchor.network.passphrase)
  const deposits = await depositsTo(tx, sent.destination)
  return deposits.find(({ id }) => mark === causeMark(`deposit:${id}`))
}

/** The payment for this cause that the ledger shows and no payment here accounts for. */
export async function findUnrecorded(
  deps: Deps,
  tx: Db<Tables>,
  cause: string,
): Promise<Pick<Unrecorded, 'amount' | 'asset'> | undefined> {
  const open = await tx
    .selectFrom('unrecorded_payments')
    .select(['xdr', 'amount', 'asset'])
    .where('payment_id', 'is', null)
    .execute()
  const mark = causeMark(cause)
  return open.find(({ xdr }) => readEnvelope(xdr, deps.config.anchor.network.passphrase).minTime === mark)
}

/** What the ledger has for a payment that came before an older state was restored. */
export type RefundBefore = 'none' | 'made' | 'another-asset'

/** Null: the payment came after the last restore, or there was none. */
export async function refundBeforeRestore(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
): Promise<RefundBefore | null> {
  const restored = await restoredAt(tx)
  if (restored === null || payment.closedAt > restored) return null
  const refund = await findUnrecorded(deps, tx, refundCause(payment))
  if (!refund) return 'none'
  return refund.asset === payment.asset ? 'made' : 'another-asset'
}

/**
 * Whether money that belongs to no transaction here may belong to one that an older state lacks: the ledger has
 * payments that nobody has explained, or whose money nobody has found within 30 days, or has not been compared yet.
 */
export async function mayBelongToLost(db: Db<Tables>, now: Date): Promise<boolean> {
  const restored = await restoredAt(db)
  if (restored === null) return false
  if (!(await isCompared(db))) return true
  const paid = await db
    .selectFrom('unrecorded_payments')
    .select(({ fn }) => [
      fn.countAll<string>().filterWhere('amount', 'is not', null).filterWhere(IS_UNITS).as('all'),
      fn.countAll<string>().filterWhere('closed', '=', false).as('open'),
    ])
    .where('payment_id', 'is', null)
    .where('is_sweep', '=', false)
    .executeTakeFirstOrThrow()
  if (Number(paid.open) > 0) return true
  // An operator may explain a payment before the bank reports the money that it was for.
  const found = await db
    .selectFrom('rail_receipts')
    .select(({ fn }) => fn.countAll<string>().as('receipts'))
    .where('outcome', '=', 'kept')
    .executeTakeFirstOrThrow()
  return Number(paid.all) > Number(found.receipts) && restored.getTime() > now.getTime() - LATE_MONEY_MS
}

/** Whether all that the ledger has was read since an older state was restored. */
export async function isCompared(db: Db<Tables>): Promise<boolean> {
  const restored = await restoredAt(db)
  if (restored === null) return true
  const read = await db.selectFrom('observed').select('caught_up_at').executeTakeFirst()
  if (await hasForeignChannels(db)) return false
  return Boolean(read?.caught_up_at && read.caught_up_at >= restored)
}

/** The network was reset: what the old chain had is owed again. */
export async function forgetUnrecorded(tx: Db<Tables>): Promise<void> {
  await tx.deleteFrom('unrecorded_payments').where('payment_id', 'is', null).execute()
}

/** An operator explained the payment: what it was for was settled outside of this journal. */
export async function endUnrecorded(tx: Db<Tables>, { id, subject }: LedgerIncident): Promise<void> {
  const [, hash = '', operation] = subject.split(':')
  const row = await tx
    .selectFrom('unrecorded_payments')
    .selectAll()
    .where('hash', '=', hash)
    .where('operation', '=', Number(operation))
    .where('payment_id', 'is', null)
    .executeTakeFirst()
  await tx
    .updateTable('unrecorded_payments')
    .set({ closed: true })
    .where('hash', '=', hash)
    .where('operation', '=', Number(operation))
    .execute()
  if (row && isOfAsset(row)) await recordExchange(tx, `resolved:${id}`, unitOf(row.asset), `-${row.amount}`)
}
