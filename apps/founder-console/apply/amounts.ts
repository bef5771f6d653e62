/** Decimal strings, digit for digit: no answer passes through a float. */

/** A positive decimal with at most 7 decimals, as the ledger counts. */
export const isAmount = (text: string): boolean => /^\d{1,12}(\.\d{1,7})?$/.test(text)

/** 0 to 100 with at most 5 decimals, so that its fraction has at most 7. */
export const isPercentage = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,5})?$/.test(text) && notAbove(text, '100')

const scaled = (text: string): bigint => {
  const [whole = '0', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.padEnd(7, '0'))
}

const unscaled = (value: bigint): string => {
  const digits = value.toString().padStart(8, '0')
  const decimals = digits.slice(-7).replace(/0+$/, '')
  return decimals ? `${digits.slice(0, -7)}.${decimals}` : digits.slice(0, -7)
}

export const notAbove = (a: string, b: string): boolean => scaled(a) <= scaled(b)

/** `0.5` (percent) → `0.005`. */
export const fractionOfPercent = (percent: string): string => unscaled(scaled(percent) / 100n)

/** What a transfer costs: fixed + amount × percentage, rounded half up to 7 decimals. */
export function feeOf(amount: string, fixed: string, percent: string): string {
  const share = scaled(amount) * scaled(fractionOfPercent(percent))
  return unscaled(scaled(fixed) + (share + 5_000_000n) / 10_000_000n)
}
