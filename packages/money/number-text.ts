import { AmountError, parsePositiveAmount, type Amount } from './amount.ts'

/** The sign between whole digits and decimals. */
export type DecimalSign = '.' | ','

/**
 * Why a number is refused: `not-a-number`; `two-ways`: its one sign could be either, as in `10.000`;
 * `too-many-decimals`: more than the currency has.
 */
export type NumberFault = 'not-a-number' | 'two-ways' | 'too-many-decimals'
export type ReadNumber = { number: string } | { fault: NumberFault }

/** Digits in groups of three, or as in India in groups of two before the last three. */
const GROUPED = /^(\d{1,3}(?:([.,\s'’])\d{3})(?:\2\d{3})*|\d{1,2}(?:([.,\s'’])\d{2})(?:\3\d{2})*\3\d{3})$/
/** `10.000`, but not `0.500` and not `1000.000`: no group has a zero before it or follows four digits. */
const LIKE_A_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/

/** Whether a number has one sign, which may separate a group or its decimals. */
export const isTwoWays = (text: string): boolean => LIKE_A_GROUP.test(text)

/**
 * Reads a number without a sign as people and banks write it: `1.234,56` as `1234.56`. Nothing is dropped on a guess:
 * groups must be whole, and what is between whole digits and decimals must be `decimal`. Zeros may follow the decimals.
 */
export function readNumber(text: string, decimal: DecimalSign, decimals: number): ReadNumber {
  const [whole = '', fraction, ...more] = text.split(decimal)
  const isPlain = /^\d+$/.test(whole)
  if (more.length > 0 || !(isPlain || (GROUPED.test(whole) && !whole.startsWith('0'))))
    return { fault: 'not-a-number' }
  if (fraction === undefined) return { number: digitsOf(whole) }
  if (!/^\d+$/.test(fraction)) return { fault: 'not-a-number' }
  if (decimals !== 3 && isTwoWays(text)) return { fault: 'two-ways' }
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > decimals) return { fault: 'too-many-decimals' }
  return { number: `${digitsOf(whole)}${kept === '' ? '' : `.${kept}`}` }
}

const digitsOf = (whole: string): string => whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '')

/** How many decimals a currency is written with (ISO 4217): 2 for `EUR`, 0 for `JPY`, 3 for `KWD`. */
export function decimalsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return LEDGER_DECIMALS
  const before = known.get(currency)
  if (before !== undefined) return before
  const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const decimals = options.maximumFractionDigits ?? LEDGER_DECIMALS
  known.set(currency, decimals)
  return decimals
}

/** A statement has 100,000 amounts of a currency. */
const known = new Map<string, number>()

/** Decimals of units on the ledger. */
export const LEDGER_DECIMALS = 7

/**
 * Reads an amount of money of a currency (ISO 4217): greater than zero, and without parts of its smallest unit, which no rail moves.
 * Throws {@link AmountError} saying what is wrong.
 */
export function parseMoney(input: string | number, currency: string): Amount {
  const amount = parsePositiveAmount(input)
  if (!isWhole(amount, currency))
    throw new AmountError(`must have at most ${decimalsOf(currency)} decimals, as ${currency} has`)
  return amount
}

/** Whether an amount of money has no parts of its currency's smallest unit. */
export const isWhole = (amount: Amount, currency: string): boolean =>
  amount % 10n ** BigInt(LEDGER_DECIMALS - decimalsOf(currency)) === 0n
