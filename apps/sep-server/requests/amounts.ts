import { AmountError, formatAmount, parseAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { badRequest } from '../errors.ts'

/** The database's `100.0000000` as `100`. */
export const plainAmount = (value: string): string => formatAmount(parseAmount(value))

/** A positive amount. Throws 400 naming the field. */
export function readAmount(name: string, value: string): string {
  try {
    return formatAmount(parsePositiveAmount(value))
  } catch (error) {
    if (error instanceof AmountError) throw badRequest(`${name} ${error.message}`)
    throw error
  }
}

/** A positive amount within the anchor's limits. Throws 400. */
export function readLimitedAmount(name: string, value: string, limits: { min: string; max: string }): string {
  const amount = readAmount(name, value)
  if (parseAmount(amount) < parseAmount(limits.min))
    throw badRequest(`${name} must be at least ${limits.min}`)
  if (parseAmount(amount) > parseAmount(limits.max)) throw badRequest(`${name} must be at most ${limits.max}`)
  return amount
}
