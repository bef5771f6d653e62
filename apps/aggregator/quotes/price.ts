import type { Direction } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Amount } from '@windlass/money/amount.ts'
import { depositOf, forComparison } from '@windlass/money/price.ts'
import { multiply, type Rate, withSpread } from '@windlass/money/rate.ts'
import { goesBy, termsFor, type Entry } from '../registry/entry.ts'
import { fxRate, type FxProvider } from './fx.ts'
import type { Transaction } from '../routing/transaction.ts'

/** A transaction with a currency to pay in. */
export type Payment = Transaction & { currency: string }

/** What an anchor would charge, exactly. */
export interface Price extends Offer {
  fee: { fixed: Amount; percentage: Rate; variable: Amount; total: Amount }
  /** In the currency. */
  sellAmount: Amount
}

/** What an anchor sells for a pair and at which rate. */
interface Offer {
  issuer: string
  fxRate: Rate
}

/**
 * What an anchor quotes a pair at; null: nothing. Of several assets of one code the first that has a rate. An external
 * anchor's rate is the price that it last named itself.
 */
export function offerAt(
  fx: FxProvider,
  entry: Entry,
  { asset, currency }: Payment,
  direction: Direction = 'deposit',
): Offer | null {
  const share = direction === 'deposit' ? entry.seen.spread : entry.spread?.withdrawal
  const quoted = (rate: Rate) => (share ? withSpread(rate, share, direction) : rate)
  for (const offered of entry.assets) {
    if (!goesBy(offered, asset)) continue
    const { external } = termsFor(entry, nameOf(offered), undefined, direction)
    const rate = external ? (external.prices[currency] ?? null) : fxRate(fx, currency, offered, quoted)
    if (rate) return { issuer: offered.issuer, fxRate: rate }
  }
  return null
}

const nameOf = ({ code, issuer }: { code: string; issuer: string }) => `${code.toUpperCase()}:${issuer}`

/** What a quote for an amount says: {@link forComparison}, each product rounded once. */
export function price(entry: Entry, payment: Payment, offer: Offer): Price {
  const [code = ''] = payment.asset.split(':')
  const { fees } = termsFor(entry, nameOf({ code, issuer: offer.issuer }), payment.rail)
  const { fixed, percentage } = fees
  const variable = multiply(payment.amount, percentage)
  const { fee: total, fiat: sellAmount } = depositOf(payment.amount, fees, offer.fxRate, forComparison)
  return {
    ...offer,
    fee: { fixed, percentage, variable, total },
    sellAmount,
  }
}
