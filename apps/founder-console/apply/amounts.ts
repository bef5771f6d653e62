import { amountError } from '@windlass/ui/amount-value.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { parseRate } from '@windlass/money/rate.ts'

/** At most 7 decimals, the precision of the ledger. */
export const isAmount = (text: string): boolean => amountError(text) === undefined

/** Its fraction has at most 7. */
export const PERCENT_DECIMALS = 5

/** 0 to 100 with at most {@link PERCENT_DECIMALS}. */
export const isPercentage = (text: string): boolean =>
  amountError(text, { decimals: PERCENT_DECIMALS }) === undefined && notAbove(text, '100')

export const notAbove = (a: string, b: string): boolean => parseAmount(a) <= parseAmount(b)

/** `0.5` (percent) → `0.005`. */
export function fractionOfPercent(percent: string): string {
  const [whole = '', decimals = ''] = percent.split('.')
  const digits = whole.padStart(3, '0')
  return formatAmount(parseAmount(`${digits.slice(0, -2)}.${digits.slice(-2)}${decimals}`))
}

/** The fee of a transfer. */
export const feeOf = (amount: string, fixed: string, percent: string): string =>
  formatAmount(
    feeFor(
      { fixed: parseAmount(fixed), percentage: parseRate(fractionOfPercent(percent)) },
      parseAmount(amount),
    ),
  )
