import { isTwoWays, readNumber, type DecimalSign, type NumberFault } from './number-text.ts'
import { trimZeros } from './trim-zeros.ts'

/** `too-large`: more than any amount of Windlass has, `not-a-number` also where a sign of plus or minus is typed. */
export type TypedFault = NumberFault | 'too-large'
type ReadAmount = { number: string } | { fault: TypedFault }

const MOST_WHOLE_DIGITS = 12
const signs = new Map<string, DecimalSign>()

/** The sign before decimals in a language or region (BCP 47): `.` in `en` and `es-MX`, `,` in `es`. */
function decimalSignOf(locale: string): DecimalSign {
  const known = signs.get(locale)
  if (known) return known
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
  const sign = parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.'
  signs.set(locale, sign)
  return sign
}

/**
 * Reads an amount that a person typed, as their language writes numbers. What could be read in two ways is refused:
 * `10.000` is 10 for one reader of English and ten thousand for another (ADR 82).
 *
 * @param decimals how many decimals it may have; 7 for units on the ledger
 */
export function readTyped(text: string, locale: string, decimals: number): ReadAmount {
  const bare = text.trim()
  const decimal = decimalSignOf(locale)
  if (bare.includes(decimal) && isTwoWays(bare)) return { fault: 'two-ways' }
  const read = readNumber(bare, decimal, decimals)
  if ('number' in read && (read.number.split('.')[0] ?? '').length > MOST_WHOLE_DIGITS)
    return { fault: 'too-large' }
  return read
}

/** A decimal string as it is typed in a language: without groups, and so that {@link readTyped} reads it again. */
export function formatTyped(number: string, locale: string): string {
  const text = number.replace('.', decimalSignOf(locale))
  return isTwoWays(text) ? `${text}0` : text
}

/** Both readings of a text with the fault `two-ways`, as they can be typed: `10.000` as `10` and `10000`. */
export function twoReadings(text: string, locale: string): [few: string, many: string] {
  const [whole = '', fraction = ''] = text.trim().split(/[.,]/)
  const kept = trimZeros(fraction)
  return [formatTyped(kept === '' ? whole : `${whole}.${kept}`, locale), `${whole}${fraction}`]
}
