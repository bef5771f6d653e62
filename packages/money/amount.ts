import { shortest, trimZeros } from './trim-zeros.ts'

/** Units of 10^-7, the ledger's own precision (a stroop). Every amount in Windlass is one of these. */
export type Amount = bigint & { readonly amount: unique symbol }

const DIGITS = 7
const SCALE = 10n ** BigInt(DIGITS)
const MAX = 2n ** 63n - 1n
const TOO_LARGE = 'is larger than the ledger can hold'
/** A number of more whole digits than any amount has, also as JavaScript prints it: `1e+25`. */
const LONG = /^-?(0*[1-9]\d{19,}(\.\d+)?|\d(\.\d+)?e\+\d+)$/

export class AmountError extends Error {}

/**
 * Reads a decimal string or JSON number: at most 7 fraction digits, no exponent, within the ledger's 64 bits.
 * Throws {@link AmountError} saying what is wrong.
 */
export function parseAmount(input: string | number): Amount {
  const text = typeof input === 'number' ? numberText(input) : input
  const match = /^(-?)(\d{1,19})(?:\.(\d{1,30}))?$/.exec(text)
  if (!match) throw new AmountError(LONG.test(text) ? TOO_LARGE : 'must be a decimal number such as "12.5"')
  const [, sign, whole = '0', fraction = ''] = match
  const kept = trimZeros(fraction)
  if (kept.length > DIGITS) throw new AmountError(`must have at most ${DIGITS} fraction digits`)
  const units = BigInt(whole) * SCALE + BigInt(kept.padEnd(DIGITS, '0'))
  if (units > MAX) throw new AmountError(TOO_LARGE)
  return (sign ? -units : units) as Amount
}

/** As {@link parseAmount}, and greater than zero. */
export function parsePositiveAmount(input: string | number): Amount {
  const amount = parseAmount(input)
  if (amount <= 0n) throw new AmountError('must be greater than zero')
  return amount
}

/** As {@link parseAmount}, and zero or more. */
export function parseNotNegative(input: string | number): Amount {
  const amount = parseAmount(input)
  if (amount < 0n) throw new AmountError('must not be negative')
  return amount
}

/** Shortest exact decimal string: `12.5`, `0`, `-0.0000001`. */
export function formatAmount(amount: Amount): string {
  return shortest(formatLedgerAmount(amount))
}

/** With all 7 fraction digits, as Horizon and the database write it. */
export function formatLedgerAmount(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DIGITS + 1, '0')
  const text = `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
  return amount < 0n ? `-${text}` : text
}

export function amountOf(units: bigint): Amount {
  return units as Amount
}

export function add(a: Amount, b: Amount): Amount {
  return (a + b) as Amount
}

export function subtract(a: Amount, b: Amount): Amount {
  return (a - b) as Amount
}

// A JSON number prints with an exponent when small or large; only plain ones have an unambiguous decimal.
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new AmountError('must be a finite number')
  const text = String(value)
  if (/^-?\d+e-\d+$/.test(text) || /^-?\d+\.\d+e-\d+$/.test(text)) return trimZeros(value.toFixed(20))
  return text
}
