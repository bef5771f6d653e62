import type { Amount } from './amount.ts'
import { AmountError } from './amount.ts'
import { trimZeros } from './trim-zeros.ts'

/** A factor (exchange rate, percentage as a fraction), exact: `numerator / 10^digits`. */
export interface Rate {
  readonly numerator: bigint
  readonly digits: number
}

/** Reads a non-negative decimal with at most 18 fraction digits. Throws {@link AmountError}. */
export function parseRate(input: string | number): Rate {
  const text = String(input)
  const match = /^(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text)
  if (!match) throw new AmountError('must be a non-negative decimal number such as "0.005"')
  const fraction = trimZeros(match[2] ?? '')
  return { numerator: BigInt((match[1] ?? '0') + fraction), digits: fraction.length }
}

/** Shortest exact decimal string. */
export function formatRate(rate: Rate): string {
  const text = rate.numerator.toString().padStart(rate.digits + 1, '0')
  if (rate.digits === 0) return text
  return `${text.slice(0, -rate.digits)}.${text.slice(-rate.digits)}`
}

/** `amount × rate`, half up to the seventh digit (half away from zero for negatives). */
export function multiply(amount: Amount, rate: Rate): Amount {
  return divideHalfUp(amount * rate.numerator, powerOfTen(rate.digits)) as Amount
}

/** `amount / rate`, half up to the seventh digit. The rate is not zero. */
export function divide(amount: Amount, rate: Rate): Amount {
  return divideHalfUp(amount * powerOfTen(rate.digits), rate.numerator) as Amount
}

/** A rate with a share of it for the one who quotes it: customers pay more by it in a deposit, and get less in a withdrawal. */
export function withSpread(rate: Rate, share: Rate, direction: 'deposit' | 'withdrawal'): Rate {
  const one = powerOfTen(share.digits)
  const factor = direction === 'deposit' ? one + share.numerator : one - share.numerator
  let [numerator, digits] = [rate.numerator * factor, rate.digits + share.digits]
  while (digits > 0 && numerator % 10n === 0n) [numerator, digits] = [numerator / 10n, digits - 1]
  return { numerator, digits }
}

/** Fraction digits of a rate that follows from two others. */
const QUOTIENT_DIGITS = 10

/** One rate by another, half up. The second one is not zero. */
export function divideRates(rate: Rate, by: Rate): Rate {
  const numerator = rate.numerator * powerOfTen(by.digits + QUOTIENT_DIGITS)
  const quotient = divideHalfUp(numerator, by.numerator * powerOfTen(rate.digits))
  return parseRate(formatRate({ numerator: quotient, digits: QUOTIENT_DIGITS }))
}

const powers: bigint[] = []
export const powerOfTen = (digits: number): bigint => (powers[digits] ??= 10n ** BigInt(digits))

/** `numerator / denominator`, half up (half away from zero for negatives). The denominator is positive. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n
  const magnitude = negative ? -numerator : numerator
  const rounded = (magnitude * 2n + denominator) / (denominator * 2n)
  return negative ? -rounded : rounded
}
