import { AmountError, formatAmount, parseAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { refused } from '../sep-errors.ts'

/** The database's `100.0000000` as `100`. */
export const plainAmount = (value: string): string => formatAmount(parseAmount(value))

/** A customer's amount. Throws a refusal naming the field. */
export function readAmount(name: string, value: string): string {
  try {
    return formatAmount(parsePositiveAmount(value))
  } catch (error) {
    if (error instanceof AmountError) throw refused(`${name} ${error.message}`)
    throw error
  }
}

/** An amount of the asset within the anchor's limits. Throws a refusal. */
export function readLimitedAmount(name: string, value: string, limits: { min: string; max: string }): string {
  const amount = readAmount(name, value)
  if (parseAmount(amount) < parseAmount(limits.min)) throw refused(`${name} must be at least ${limits.min}`)
  if (parseAmount(amount) > parseAmount(limits.max)) throw refused(`${name} must be at most ${limits.max}`)
  return amount
}
