import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { divide, divideHalfUp, parseRate, powerOfTen } from '@windlass/money/rate.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { RailOrder, Tables, Transfer } from '../../tables.ts'
import type { OwnAccount } from '@windlass/contracts/anchor/journal.ts'
import { type Line, recordEntry, unitOf } from './journal.ts'

/** What each effect does to the accounts. Effects in XLM are not in the journal: it pays fees and reserves only. */

export const opposite = (lines: readonly Line[]): Line[] =>
  lines.map(([account, unit, amount]) => [account, unit, -amount])

type AgreedAmounts = Pick<Transfer, 'direction' | 'amount' | 'fee' | 'fiat_amount' | 'rate'>

/**
 * What rounding to hundredths of the currency leaves to the anchor, in asset units: what the customer gives less what
 * they get and the fee. Zero where the rate is not known.
 */
export function roundingOf({ direction, amount, fee, fiat_amount, rate }: AgreedAmounts): Amount {
  if (amount === null || fee === null || fiat_amount === null || rate === null) return amountOf(0n)
  const value = divide(parseAmount(fiat_amount), parseRate(rate))
  const [units, charge] = [parseAmount(amount), parseAmount(fee)]
  return amountOf(direction === 'deposit' ? value - units - charge : units - charge - value)
}

/** What the anchor's share of the rate earns, in the currency: what the customer pays more by it, or gets less. */
function spreadOf({
  direction,
  fiat_amount,
  exchange,
}: Pick<Transfer, 'direction' | 'fiat_amount' | 'exchange'>): Amount {
  if (!exchange?.spread || fiat_amount === null) return amountOf(0n)
  const { numerator, digits } = parseRate(exchange.spread)
  const one = powerOfTen(digits)
  const whole = direction === 'deposit' ? one + numerator : one - numerator
  return amountOf(divideHalfUp(parseAmount(fiat_amount) * numerator, whole))
}

/** The exchange of a transfer: money against units, with the fee, the anchor's share of the rate, and what rounding leaves. */
function exchanged(
  transfer: AgreedAmounts & Pick<Transfer, 'rail' | 'currency' | 'asset' | 'exchange'>,
): Line[] {
  const unit = unitOf(transfer.asset)
  const [units, fee] = [parseAmount(transfer.amount ?? '0'), parseAmount(transfer.fee ?? '0')]
  const fiat = parseAmount(transfer.fiat_amount ?? '0')
  const rounding = roundingOf(transfer)
  const deposit = transfer.direction === 'deposit'
  const money = deposit ? fiat : -fiat
  const owed = deposit ? -units : units
  const spread = spreadOf(transfer)
  return [
    [`rail:${transfer.rail}`, transfer.currency, money],
    ['exchange', transfer.currency, spread - money],
    ['fx-income', transfer.currency, -spread],
    ['exchange', unit, -(owed - fee - rounding)],
    ['customers', unit, owed],
    ['fees', unit, -fee],
    ['rounding', unit, -rounding],
  ]
}

/** A deposit was paid over the rail, as agreed. */
export const recordDeposit = (tx: Db<Tables>, transfer: Transfer): Promise<void> =>
  recordEntry(tx, {
    cause: `deposit:${transfer.id}`,
    kind: 'deposit',
    transferId: transfer.id,
    exchange: transfer.exchange,
    lines: exchanged(transfer),
  })

/** A deposit is not paid on the ledger, since the treasury is short or an operator refunds it: its money is to be returned. */
export async function recordUncovered(tx: Db<Tables>, transfer: Transfer): Promise<void> {
  const fiat = parseAmount(transfer.fiat_amount ?? '0')
  const back = opposite(exchanged(transfer)).filter(([account]) => !account.startsWith('rail:'))
  const lines: Line[] = [...back, ['suspense', transfer.currency, -fiat]]
  await recordEntry(tx, {
    cause: `uncovered:${transfer.id}`,
    kind: 'uncovered',
    transferId: transfer.id,
    lines,
  })
}

interface RailReceipt {
  rail: string
  paymentId: string
  amount: string
  currency: string
  transferId: string | null
}

/** A payment over a rail that is returned. */
export async function recordRailReceipt(
  tx: Db<Tables>,
  { rail, paymentId, amount, currency, transferId }: RailReceipt,
): Promise<void> {
  const money = parseAmount(amount)
  const lines: Line[] = [
    [`rail:${rail}`, currency, money],
    ['suspense', currency, -money],
  ]
  await recordEntry(tx, { cause: `rail:${rail}:${paymentId}`, kind: 'rail-receipt', transferId, lines })
}

/** A payment over a rail that is recorded already, under the id that an operator entered. */
export async function recordRailDuplicate(
  tx: Db<Tables>,
  cause: string,
  { rail, amount, currency }: Pick<RailReceipt, 'rail' | 'amount' | 'currency'>,
): Promise<void> {
  const money = parseAmount(amount)
  const lines: Line[] = [
    ['suspense', currency, money],
    [`rail:${rail}`, currency, -money],
  ]
  await recordEntry(tx, { cause, kind: 'rail-duplicate', lines })
}

interface BankLine {
  /** Unique, also after the line is decided. */
  cause: string
  rail: string
  /** Negative: it left the account. */
  amount: bigint
  currency: string
}

/** A booking on a bank account that nobody has explained yet; with the opposite amount, one that is explained now. */
export const recordBankLine = (tx: Db<Tables>, { cause, rail, amount, currency }: BankLine): Promise<void> =>
  recordEntry(tx, {
    cause,
    kind: 'statement-line',
    lines: [
      [`rail:${rail}`, currency, amount],
      ['suspense', currency, -amount],
    ],
  })

type Kept = Omit<DebtEntry, 'transferId'> & { transferId: string | null }

const keptAs =
  (kind: 'bank-charge' | 'dispute-deducted', account: 'charges' | 'suspense') =>
  (tx: Db<Tables>, { cause, rail, currency, amount, transferId }: Kept): Promise<void> =>
    recordEntry(tx, {
      ...{ cause, kind, transferId },
      lines: [
        [account, currency, amount],
        [`rail:${rail}`, currency, -amount],
      ],
    })

/** A bank kept a part of what it sent back. */
export const recordCharge = keptAs('bank-charge', 'charges')

/** A provider took money of a payment that nobody owes: people find out what it is. */
export const recordDeducted = keptAs('dispute-deducted', 'suspense')

/** A bank took the money of a deposit back after the units had left: the customer owes it. */
export const recordTakenBack = (tx: Db<Tables>, { cause, ...debt }: DebtEntry): Promise<void> =>
  recordEntry(tx, { ...ofDebt(debt), cause, kind: 'deposit-taken-back' })

/** The customer pays what they owe, or a part of it. */
export const recordDebtPaid = (tx: Db<Tables>, { cause, ...debt }: DebtEntry): Promise<void> =>
  recordEntry(tx, { ...ofDebt({ ...debt, amount: -debt.amount }), cause, kind: 'debt-paid' })

/** People gave up what a customer still owes. */
export const recordWriteOff = (
  tx: Db<Tables>,
  { cause, amount, currency, transferId }: Omit<DebtEntry, 'rail'>,
): Promise<void> =>
  recordEntry(tx, {
    ...{ cause, kind: 'debt-written-off', transferId },
    lines: [
      ['losses', currency, amount],
      ['debts', currency, -amount],
    ],
  })

interface DebtEntry {
  cause: string
  rail: string
  currency: string
  amount: bigint
  transferId: string
}

const ofDebt = ({ rail, currency, amount, transferId }: Omit<DebtEntry, 'cause'>) => ({
  transferId,
  lines: [
    ['debts', currency, amount],
    [`rail:${rail}`, currency, -amount],
  ] satisfies Line[],
})

/** What was booked is the business's own. In `kept`: nobody said yet what it is. */
export const recordOwnMoney = (
  tx: Db<Tables>,
  {
    cause,
    amount,
    currency,
    account = 'kept',
  }: Omit<BankLine, 'rail'> & { account?: OwnAccount | 'kept' | undefined },
): Promise<void> =>
  recordEntry(tx, {
    cause,
    kind: 'own-money',
    lines: [
      ['suspense', currency, amount],
      [account, currency, -amount],
    ],
  })

/** What a bank account had before its first statement; negative: it was overdrawn. */
export const recordBankOpening = (
  tx: Db<Tables>,
  { cause, rail, amount, currency }: BankLine,
): Promise<void> =>
  recordEntry(tx, {
    cause,
    kind: 'bank-opening',
    lines: [
      [`rail:${rail}`, currency, amount],
      ['opening', currency, -amount],
    ],
  })

/** A rail said how an order ended. */
export async function recordOrder(
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer | null,
  paid: boolean,
): Promise<void> {
  const transferId = order.transfer_id
  const cause = `order:${order.cause}`
  if (order.kind === 'return') {
    if (paid)
      await recordEntry(tx, { cause, kind: 'rail-return', transferId, lines: opposite(ofRail(order)) })
    return
  }
  if (!transfer) return
  const lines = paid ? paidOut(order, transfer) : owedAsRefund(transfer)
  const exchange = paid ? transfer.exchange : null
  await recordEntry(tx, { cause, kind: paid ? 'payout' : 'payout-failed', transferId, exchange, lines })
}

/** A payout over the rail; what an earlier one of it lost at the bank, and this one is less by, the customer bears. */
function paidOut({ currency, amount, again_of }: RailOrder, transfer: Transfer): Line[] {
  const kept = again_of === null ? 0n : parseAmount(transfer.fiat_amount ?? amount) - parseAmount(amount)
  const lines = exchanged(transfer).map(([account, unit, moved]): Line => [
    account,
    unit,
    account.startsWith('rail:') ? moved + kept : moved,
  ])
  return [...lines, ['charges', currency, -kept]]
}

/** The customer bears what the bank kept of their payout: it is taken from the units that they get back. */
export const recordKept = (
  tx: Db<Tables>,
  { id, currency }: RailOrder,
  { id: transferId, asset }: Transfer,
  { money, units }: { money: bigint; units: bigint },
): Promise<void> =>
  recordEntry(tx, {
    ...{ cause: `kept:${id}`, kind: 'charge-passed-on', transferId },
    lines: [
      ['suspense', unitOf(asset), units],
      ['exchange', unitOf(asset), -units],
      ['exchange', currency, money],
      ['charges', currency, -money],
    ],
  })

/** A payout came back, and the customer's units are given back on the ledger. */
export const recordPayoutRefund = (tx: Db<Tables>, order: RailOrder, transfer: Transfer): Promise<void> =>
  recordEntry(tx, {
    cause: `refund-of:${order.id}`,
    kind: 'payout-failed',
    transferId: transfer.id,
    lines: owedAsRefund(transfer),
  })

const owedAsRefund = ({ amount, asset }: Transfer): Line[] => [
  ['customers', unitOf(asset), parseAmount(amount ?? '0')],
  ['suspense', unitOf(asset), -parseAmount(amount ?? '0')],
]

/** A bank sent a payment back of which the journal does not have that it was paid. */
export const recordSentBack = (tx: Db<Tables>, order: RailOrder): Promise<void> =>
  recordEntry(tx, {
    cause: `sent-back:${order.id}`,
    kind: 'payout-sent-back',
    transferId: order.transfer_id,
    lines: ofRail(order),
  })

const ofRail = ({ rail, currency, amount }: RailOrder): Line[] => [
  [`rail:${rail}`, currency, parseAmount(amount)],
  ['suspense', currency, -parseAmount(amount)],
]
