import { formatAmount, parseAmount } from '@windlass/money/amount.ts'

/** An amount of a currency as it is written: `8938.5` as `8938.50`. */
export function cents(amount: string): string {
  const [whole = '0', fraction = ''] = formatAmount(parseAmount(amount)).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
