import { add, type Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { multiply, type Rate } from '@windlass/money/rate.ts'
import type { Entry } from '../registry/entry.ts'
import { fxRate, type FxProvider } from './fx.ts'
import type { Transaction } from '../routing/transaction.ts'

/** A transaction with a currency to pay in. */
export type Payment = Transaction & { currency: string }

/** What an anchor would take, exactly. */
export interface Price {
  fxRate: Rate
  fee: { fixed: Amount; percentage: Rate; variable: Amount; total: Amount }
  /** In the currency. */
  sellAmount: Amount
}

/** The rate an anchor quotes a pair at; null: none. Of several assets of one code the first that has one. */
export function rateAt(fx: FxProvider, entry: Entry, { asset, currency }: Payment): Rate | null {
  for (const offered of entry.assets) {
    const code = offered.code.toUpperCase()
    if (asset !== code && asset !== `${code}:${offered.issuer}`) continue
    const rate = fxRate(fx, currency, offered)
    if (rate) return rate
  }
  return null
}

/** `sellAmount = (amount + fee) × rate`; each product is rounded once, half up to the 7th digit. */
export function price(entry: Entry, payment: Payment, rate: Rate): Price {
  const { fixed, percentage } = entry.fees
  const variable = multiply(payment.amount, percentage)
  const total = feeFor(entry.fees, payment.amount)
  return {
    fxRate: rate,
    fee: { fixed, percentage, variable, total },
    sellAmount: multiply(add(payment.amount, total), rate),
  }
}
