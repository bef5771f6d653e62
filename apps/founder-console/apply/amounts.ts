import { feeFor } from '@windlass/money/fee.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { parseRate } from '@windlass/money/rate.ts'

/** A positive decimal with at most 7 decimals, the precision of the ledger. */
export const isAmount = (text: string): boolean => /^\d{1,12}(\.\d{1,7})?$/.test(text)

/** 0 to 100 with at most 5 decimals, so that its fraction has at most 7. */
export const isPercentage = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,5})?$/.test(text) && notAbove(text, '100')

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
