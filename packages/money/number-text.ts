import { AmountError, parsePositiveAmount, type Amount } from './amount.ts'
import { trimZeros } from './trim-zeros.ts'

/** The sign between whole digits and decimals. */
export type DecimalSign = '.' | ','

/**
 * Why a number is refused: `not-a-number`; `two-ways`: its one sign could be either, as in `10.000`;
 * `too-many-decimals`: more than the currency has.
 */
export type NumberFault = 'not-a-number' | 'two-ways' | 'too-many-decimals'
type ReadNumber = { number: string } | { fault: NumberFault }

/** Digits in groups of three, or as in India in groups of two before the last three. */
const GROUPED = /^(\d{1,3}(?:([.,\s'’])\d{3})(?:\2\d{3})*|\d{1,2}(?:([.,\s'’])\d{2})(?:\3\d{2})*\3\d{3})$/
/** `10.000`, but not `0.500` and not `1000.000`: no group has a zero before it or follows four digits. */
const LIKE_A_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/

/** No amount is longer, with all its groups and zeros. */
const MOST_CHARACTERS = 60

/** Whether a number has one sign, which may separate a group or its decimals. */
export const isTwoWays = (text: string): boolean => LIKE_A_GROUP.test(text)

/**
 * Reads a number without a sign as people and banks write it: `1.234,56` as `1234.56`. Nothing is dropped on a guess:
 * groups must be whole, and what is between whole digits and decimals must be `decimal`. Zeros may follow the decimals.
 */
export function readNumber(text: string, decimal: DecimalSign, decimals: number): ReadNumber {
  if (text.length > MOST_CHARACTERS) return { fault: 'not-a-number' }
  const [whole = '', fraction, ...more] = text.split(decimal)
  const isPlain = /^\d+$/.test(whole)
  if (more.length > 0 || !(isPlain || (GROUPED.test(whole) && !whole.startsWith('0'))))
    return { fault: 'not-a-number' }
  if (fraction === undefined) return { number: digitsOf(whole) }
  if (!/^\d+$/.test(fraction)) return { fault: 'not-a-number' }
  if (decimals !== 3 && isTwoWays(text)) return { fault: 'two-ways' }
  const kept = trimZeros(fraction)
  if (kept.length > decimals) return { fault: 'too-many-decimals' }
  return { number: `${digitsOf(whole)}${kept === '' ? '' : `.${kept}`}` }
}

const digitsOf = (whole: string): string => whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '')

/** Currencies that do not have two decimals, by how many they have (ISO 4217). */
const OTHER_DECIMALS = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const
const decimalsByCurrency = new Map<string, number>(
  OTHER_DECIMALS.flatMap(([decimals, currencies]) =>
    currencies.split(' ').map(each => [each, decimals] as const),
  ),
)

/**
 * How many decimals banks book in a currency (ISO 4217): 2 for `EUR`, 0 for `JPY`, 3 for `KWD`. `Intl` says how people
 * write prices, which is less: no decimals for `HUF`, `COP`, `IDR` or `PKR`.
 */
export const decimalsOf = (currency: string): number =>
  /^[A-Z]{3}$/.test(currency) ? (decimalsByCurrency.get(currency) ?? 2) : LEDGER_DECIMALS

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
