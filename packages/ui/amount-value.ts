import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { formatTyped, readTyped, twoReadings, type TypedFault } from '@windlass/money/typed-amount.ts'
import type { FormErrors } from './form.tsx'
import { formatAmount, readerLocale } from './formats.ts'
import type { FormValue } from './hydration.ts'
import { texts } from './texts.ts'

/*
 * The value of an amount field is the decimal string that was understood, whatever the language; or what was typed, behind
 * this mark, where it cannot be read in one way. Nothing that takes an amount accepts the mark (ADR 82).
 */
const UNREAD = 'unread:'

/** The form value of what was typed: `10,000` in English as `10000`. */
export function amountValueOf(typed: string, decimals: number = LEDGER_DECIMALS): string {
  if (typed.trim() === '') return ''
  const read = readTyped(typed, readerLocale(), decimals)
  return 'number' in read ? read.number : unreadAmount(typed)
}

/** The form value of a text whose amount is not known. */
export const unreadAmount = (typed: string): string => `${UNREAD}${typed}`

/** What is in the field for a form value. */
export const typedOf = (value: string): string =>
  value.startsWith(UNREAD) ? value.slice(UNREAD.length) : formatTyped(value, readerLocale())

interface AmountRules {
  /** How many decimals it may have; by default those of the ledger. */
  decimals?: number
  optional?: boolean
  /** Above zero. */
  positive?: boolean
}

/** What is wrong with the value of an amount field; undefined: nothing. */
export function amountError(value: string, rules: AmountRules = {}): string | undefined {
  const { decimals = LEDGER_DECIMALS, optional = false, positive = false } = rules
  if (value === '') return optional ? undefined : texts.amount.missing
  const typed = typedOf(value)
  const read = readTyped(typed, readerLocale(), decimals)
  if ('fault' in read) return sentenceOf(read.fault, typed, decimals)
  // Typed in another language than that of the page now.
  if (value.startsWith(UNREAD)) return sentenceOf('two-ways', typed, decimals)
  return positive && !/[1-9]/.test(value) ? texts.amount.notPositive : undefined
}

/** The errors of amount fields, by their names. */
export function amountErrors(
  values: Readonly<Record<string, FormValue>>,
  fields: Readonly<Record<string, AmountRules>>,
): FormErrors {
  const found = Object.entries(fields).map(
    ([name, rules]) => [name, amountError(String(values[name] ?? ''), rules)] as const,
  )
  return Object.fromEntries(found.filter(([, error]) => error !== undefined))
}

function sentenceOf(fault: TypedFault, typed: string, decimals: number): string {
  const { amount } = texts
  switch (fault) {
    case 'two-ways':
      return amount.twoWays(...twoReadings(typed, readerLocale()))
    case 'too-many-decimals':
      return decimals === 0 ? amount.whole : amount.decimals(decimals)
    case 'too-large':
      return amount.tooLarge
    case 'not-a-number':
      return amount.notANumber(formatAmount(decimals === 0 ? '1234' : '1234.5'))
  }
}
