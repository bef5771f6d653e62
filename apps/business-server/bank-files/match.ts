import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { accountNames, findCustomerById } from '../people/customers/customers.ts'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordBankLine } from '../money/journal/entries.ts'
import { bookOn } from '../money/journal/journal.ts'
import {
  acceptRailPayment,
  compareWithLedger,
  wakeAfterRailPayment,
} from '../payments/receive-rail-payment.ts'
import { lockPaymentsOf } from '../payments/operator.ts'
import { wakeAfterOrder } from '../payments/settle-order.ts'
import { lockPayouts } from '../rails/bank-file/payouts.ts'
import type { BankLine, Tables, Transfer } from '../tables.ts'
import { findTakeable, takeBack } from '../payments/take-back.ts'
import { lockTransfer, transfersByReference } from '../transfers/find.ts'
import { isNamed, railsOf } from './accounts.ts'
import { bookCharge, chargeOf, isTolerated } from './charges.ts'
import { claimNewLines, findLine, lockLine, openLine, setOutcome, type Found, review } from './lines.ts'
import { explainPayout, explainFile, explainReturnedFile } from './match-payouts.ts'

/* What a line of a statement is for: deposits here, payouts in `match-payouts.ts`. */

const AT_ONCE = 50
const POSSIBLE_DUPLICATE = 'It may be the same booking as another line.'

/** Finds out what new lines of statements are for, each in a transaction of its own. */
export async function matchLines(deps: Deps, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const lines = await claimNewLines(deps.database.db, AT_ONCE)
    if (lines.length > 0) await compareWithLedger(deps)
    const failures: unknown[] = []
    for (const { id } of lines) {
      if (stopping?.aborted) return
      // One line that fails keeps no other one waiting.
      await matchLine(deps, id)
        .catch((error: unknown) => setAside(deps, id, error))
        .catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
    if (lines.length < AT_ONCE) return
  }
}

/** What fails for so long does not pass. */
const FAILS_FOR_MS = 3_600_000

/** Gives a line to a person that cannot be matched. Throws what may pass, such as an outage: the line is looked at again. */
async function setAside(deps: Deps, id: string, error: unknown): Promise<void> {
  const isRefused = error instanceof Problem && error.status < 500
  if (!isRefused && (failedForNow(error) || error instanceof LedgerError)) throw error
  const isGiven = await deps.database.db.transaction().execute(async tx => {
    const line = await lockLine(tx, id)
    const failedSince = deps.clock.now().getTime() - line.created_at.getTime()
    if (line.state !== 'new' || (!isRefused && failedSince < FAILS_FOR_MS)) return false
    await bookOn(tx, bookingOf(line))
    await recordBankLine(tx, { cause: `line:${line.id}`, ...moneyOf(line) })
    await setOutcome(tx, id, {
      ...{ state: 'review', review_code: isRefused ? 'refused' : 'failed' },
      why: isRefused ? `It cannot be matched by itself: ${error.message}` : FAILED,
    })
    return true
  })
  if (!isGiven) throw error
  deps.logger.error({ err: error, line: id }, 'a line of a statement cannot be matched')
  deps.wake.emit('conditions')
}

const FAILED = 'The server failed to match it for an hour. Its administrators see why in the log.'

/** Matches a line by reference, amount and payer, with everything that follows from it; else it waits for an operator. */
async function matchLine(deps: Deps, id: string): Promise<void> {
  const { db } = deps.database
  const payers = await customersNamedIn(deps, id)
  const found = await db.transaction().execute(async tx => {
    const line = await lockLine(tx, id)
    if (line.state !== 'new') return null
    deps.faults.at('line:locked')
    await bookOn(tx, bookingOf(line))
    const isDoubtful = line.possible_duplicate_of !== null
    const each = isDoubtful ? review(POSSIBLE_DUPLICATE) : await explain(deps, tx, line, payers)
    if (each.state === 'review') await recordBankLine(tx, { cause: `line:${line.id}`, ...moneyOf(line) })
    const { state, why, transfer_id = null } = each
    const order_id = each.state === 'matched' ? (each.order_id ?? null) : null
    await setOutcome(tx, line.id, { state, why, transfer_id, order_id })
    deps.faults.at('line:explained')
    return each
  })
  deps.faults.at('line:matched')
  if (found?.state === 'review') deps.wake.emit('conditions')
  if (found?.state !== 'matched') return
  if (found.report) wakeAfterOrder(deps, found.report)
  else wakeAfterRailPayment(deps)
}

/** On which days a line's entries are booked. */
export const bookingOf = ({ id, booked_on, valued_on }: BankLine) => ({
  lineId: id,
  bookedOn: booked_on,
  valuedOn: valued_on,
})

/** What the journal has of a line: what came is positive. */
export const moneyOf = ({ rail, direction, amount, currency }: BankLine) => ({
  rail,
  currency,
  amount: direction === 'in' ? parseAmount(amount) : -parseAmount(amount),
})

/** Names of the customers whose references are in a line, by transaction; read before, since it takes a connection. */
async function customersNamedIn(deps: Deps, id: string): Promise<ReadonlyMap<string, string[]>> {
  const { db } = deps.database
  const { codes } = await findLine(db, id)
  const transfers = await transfersByReference(db, codes)
  const named = await Promise.all(
    transfers.map(async transfer => [transfer.id, await payerNames(deps, transfer)] as const),
  )
  return new Map(named)
}

/** Under which names its customer may pay. */
export async function payerNames(deps: Deps, { customer_id: id }: Transfer): Promise<string[]> {
  const customer = id ? await findCustomerById(deps, id) : null
  return customer ? accountNames(deps, customer) : []
}

async function explain(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  payers: ReadonlyMap<string, readonly string[]>,
): Promise<Found> {
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  const payouts = (await lockPayouts(tx, line.codes)).filter(({ rail }) => rails.includes(rail))
  if (payouts.length > 1) return review('It names several payouts.')
  const [payout] = payouts
  if (payout) return explainPayout(deps, tx, line, payout)
  if (line.direction === 'out')
    return (await explainTakenBack(deps, tx, line, rails)) ?? explainFile(deps, tx, line)
  const returned = await explainReturnedFile(deps, tx, line)
  if (returned) return returned
  const transfers = await transfersByReference(tx, line.codes)
  if (transfers.length > 1) return review('It names several transactions.')
  const [transfer] = transfers
  if (!transfer) return review('It has no reference of a transaction.')
  if (!rails.includes(transfer.rail)) return review('Its transaction is paid over another account.', transfer)
  const customer = payers.get(transfer.id) ?? []
  const isPayer = isNamed(openLine(deps.sealer, line).name, customer)
  if (isPayer === false) return review('The payer has another name than the customer.', transfer)
  if (isPayer === null && customer.length > 0) return review('The payer’s name cannot be read.', transfer)
  const charge = depositCharge(line, transfer)
  const isAgreed = charge !== null && (await isTolerated(deps, tx, line, charge, transfer.fiat_amount ?? ''))
  const refused = await acceptDeposit(deps, tx, line, transfer, isAgreed ? charge : 0n)
  if (refused !== null) return review(`It is not as agreed: ${refused}.`, transfer)
  return {
    state: 'matched',
    why: 'Its reference, amount and payer are those of a deposit.',
    transfer_id: transfer.id,
  }
}

/** What the bank kept of a deposit's money; null: any amount, or another one was agreed. */
export const depositCharge = (line: BankLine, { fiat_amount: agreed }: Transfer): bigint | null =>
  agreed === null ? null : chargeOf(line, agreed)

/**
 * Accepts what came for a deposit as if the bank had kept nothing, and books what it kept.
 *
 * @returns why it is not accepted, as the end of a sentence; null: it is.
 */
export async function acceptDeposit(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  transfer: Transfer,
  charge: bigint,
): Promise<string | null> {
  const paid = paymentOf(deps, line, transfer.reference ?? '')
  const whole = { ...paid, amount: formatAmount(amountOf(parseAmount(line.amount) + charge)) }
  const refused = await acceptRailPayment(deps, tx, transfer.rail, whole)
  if (refused === null) await bookCharge(tx, line, { rail: transfer.rail, transfer_id: transfer.id }, charge)
  return refused
}

/** A bank takes a deposit back by a debit with its reference (a recall, a return). Null: the line names no deposit. */
async function explainTakenBack(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  rails: readonly string[],
): Promise<Found | null> {
  const [transfer, another] = await transfersByReference(tx, line.codes)
  if (!transfer) return null
  if (another) return review('It names several transactions.')
  if (!rails.includes(transfer.rail)) return review('Its transaction is paid over another account.', transfer)
  await lockPaymentsOf(tx, transfer.id)
  const locked = await lockTransfer(tx, transfer.id)
  const came = await findTakeable(tx, locked)
  if (typeof came === 'string') return review(`It is no deposit that the bank takes back: ${came}.`, transfer)
  if (!(await isTolerated(deps, tx, line, chargeOf(line, came.amount), came.amount)))
    return review(`It names a deposit of ${came.amount} ${came.currency}.`, transfer)
  const as = await takeDepositBack(deps, tx, line, locked, came.amount)
  const why =
    as === 'owed'
      ? 'The bank took a deposit back, and the customer owes it.'
      : 'The bank took a deposit back before its units left.'
  return { state: 'matched', why, transfer_id: transfer.id }
}

/**
 * Takes a deposit back by a debit: whole, and what the debit differs by is the bank's charge; or the part that people say.
 */
export async function takeDepositBack(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  { id, rail }: Transfer,
  amount: string,
  isPart = false,
): Promise<'awaited' | 'owed'> {
  const reason = openLine(deps.sealer, line).returnReason ?? 'no reason'
  const as = await takeBack(deps, tx, { id }, { cause: `line:${line.id}`, amount, reason, isPart })
  await bookCharge(tx, line, { rail, transfer_id: id }, chargeOf(line, amount))
  return as
}

/** A line as a rail would report it. */
export function paymentOf({ sealer }: Pick<Deps, 'sealer'>, line: BankLine, reference: string) {
  const { name, account } = openLine(sealer, line)
  return {
    ...({ kind: 'received', paymentId: line.id, reference, currency: line.currency } as const),
    ...{ amount: formatAmount(parseAmount(line.amount)), payer: name ?? undefined },
    payerAccount: account ?? undefined,
  }
}
