import { amountOf, formatAmount, type Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { depositFor, forPayment, PriceError, withdrawalOf as priceWithdrawal } from '@windlass/money/price.ts'
import { formatRate, multiply, type Rate } from '@windlass/money/rate.ts'
import { offerAt, price, type Price } from '../quotes/price.ts'
import type { FxProvider } from '../quotes/fx.ts'
import { termsFor, withdrawalRails, type Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'

/** One end of a transfer, in the registry's spelling. */
export interface End {
  currency: string
  rail: string
  region?: string
}

/** An asset at an anchor that serves one end. */
export interface Leg {
  entry: Entry
  /** `CODE:ISSUER` */
  asset: string
  end: End
  fxRate: Rate
}

export interface PricedDeposit extends Leg {
  units: Amount
  price: Price
}

export interface PricedWithdrawal extends Leg {
  units: Amount
  money: Amount
}

/** Every asset of every anchor that serves an end now. */
export function legsAt(
  index: RegistryIndex,
  fx: FxProvider,
  end: End,
  withExternal: boolean,
  direction: 'deposit' | 'withdrawal',
): Leg[] {
  return [...index.entries()].flatMap(entry => {
    const rails = direction === 'deposit' ? entry.rails : withdrawalRails(entry)
    if (!rails.includes(end.rail) || index.blockedBy(entry) !== null) return []
    if (end.region !== undefined && !entry.regions.includes(end.region)) return []
    if (entry.external !== null && !withExternal) return []
    return entry.assets.flatMap(({ code, issuer }) => {
      const asset = `${code.toUpperCase()}:${issuer}`
      const payment = { amount: amountOf(0n), asset, rail: end.rail, currency: end.currency }
      const offer = offerAt(fx, entry, payment, direction)
      return offer && offer.fxRate.numerator > 0n ? [{ entry, asset, end, fxRate: offer.fxRate }] : []
    })
  })
}

/**
 * The most units that money buys: `sellAmount` of the quote for them is at most `money`. Null where the anchor takes no
 * such amount.
 */
export function depositOf(index: RegistryIndex, leg: Leg, money: Amount): PricedDeposit | null {
  const { entry, asset, fxRate, end } = leg
  const { fees, limits } = termsFor(entry, asset, end.rail)
  const units = priceOrNull(() => depositFor(money, fees, fxRate))?.amount
  if (units === undefined || units < limits.min || units > limits.max) return null
  if (index.capacityFor(entry, asset) < units) return null
  const payment = { amount: units, asset, rail: end.rail, currency: end.currency }
  return { ...leg, units, price: price(entry, payment, { issuer: issuerOf(asset), fxRate }) }
}

/** What units are paid out as: without the fee, at the anchor's rate, in amounts that banks move. */
export function withdrawalOf(leg: Leg, units: Amount): PricedWithdrawal | null {
  const { fees, limits } = termsFor(leg.entry, leg.asset, leg.end.rail, 'withdrawal')
  if (units < limits.min || units > limits.max) return null
  const rounding = forPayment(leg.end.currency)
  const priced = priceOrNull(() => priceWithdrawal(units, fees, leg.fxRate, rounding))
  return priced && { ...leg, units, money: priced.fiat }
}

function priceOrNull<T>(calculate: () => T): T | null {
  try {
    return calculate()
  } catch (error) {
    if (error instanceof PriceError) return null
    throw error
  }
}

const issuerOf = (asset: string): string => asset.split(':')[1] ?? ''

const describe = ({ entry, asset, end, fxRate }: Leg) => ({
  anchorId: entry.id,
  slug: entry.slug,
  domain: entry.domain,
  asset: asset.split(':')[0] ?? asset,
  issuer: issuerOf(asset),
  rail: end.rail,
  currency: end.currency,
  fxRate: formatRate(fxRate),
})

const feeOf = ({ entry, asset, end }: Leg, units: Amount, direction: 'deposit' | 'withdrawal') => {
  const { fees } = termsFor(entry, asset, end.rail, direction)
  return {
    fixed: formatAmount(fees.fixed),
    percentage: formatRate(fees.percentage),
    variable: formatAmount(multiply(units, fees.percentage)),
    total: formatAmount(feeFor(fees, units)),
  }
}

function externalOf({ entry, asset, end }: Leg, direction: 'deposit' | 'withdrawal') {
  const { external } = termsFor(entry, asset, end.rail, direction)
  return external ? { external: true, unknown: [...external.unknown] } : {}
}

export function renderDeposit(deposit: PricedDeposit) {
  return {
    ...describe(deposit),
    fee: feeOf(deposit, deposit.units, 'deposit'),
    sellAmount: formatAmount(deposit.price.sellAmount),
    buyAmount: formatAmount(deposit.units),
    ...externalOf(deposit, 'deposit'),
  }
}

export const renderWithdrawal = (withdrawal: PricedWithdrawal) => ({
  ...describe(withdrawal),
  fee: feeOf(withdrawal, withdrawal.units, 'withdrawal'),
  sellAmount: formatAmount(withdrawal.units),
  buyAmount: formatAmount(withdrawal.money),
  ...externalOf(withdrawal, 'withdrawal'),
})
