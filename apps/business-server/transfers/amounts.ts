import type { FeeDetails, RpcParams } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { add, amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import {
  type Price,
  PriceError,
  depositFor,
  depositOf,
  forPayment,
  ratio,
  withdrawalOf,
} from '@windlass/money/price.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { roundingOf } from '../money/journal/entries.ts'
import type { FxRates } from '@windlass/service/process/fixed-rates.ts'
import { exchangeTerms, isSame, quotedRate } from '../money/pricing/exchange-rate.ts'
import { feeScheduleOf, limitsOf } from '../money/settings/terms.ts'
import type { Transfer } from '../tables.ts'

interface PriceSources {
  anchor: AnchorConfig
  fx: FxRates
}
type Kept = Pick<Transfer, 'exchange'> & Record<'amount' | 'fee' | 'fiat_amount' | 'rate', string>

/** What the price of a transfer depends on beside its amount. */
export type Priced = Pick<Transfer, 'direction' | 'currency' | 'asset' | 'rail' | 'terms'>

/** What an amount of the asset costs or brings over the transfer's rail. Throws `validation-failed`, `unsupported-pair`. */
export function priceOf(terms: PriceSources, transfer: Priced, amount: Amount): Price {
  const fees = feeScheduleOf(terms.anchor.plan, transfer)
  const rate = demandRate(terms, transfer)
  const price = transfer.direction === 'deposit' ? depositOf : withdrawalOf
  return checked(terms, transfer, () => price(amount, fees, rate, forPayment(transfer.currency)))
}

/** Whether the rail moves another currency than the one that the asset is pegged to. */
const isExchange = (
  { anchor }: Pick<PriceSources, 'anchor'>,
  { asset, currency }: Pick<Priced, 'asset' | 'currency'>,
): boolean => !isSame(servedAsset(anchor, asset).anchoredTo, currency)

/** Whether the rate is that of the payment's arrival: of a withdrawal that has no firm quote. */
export const isPricedAtArrival = (
  terms: Pick<PriceSources, 'anchor'>,
  transfer: Priced & Pick<Transfer, 'quote_id'>,
): boolean => transfer.direction === 'withdrawal' && transfer.quote_id === null && isExchange(terms, transfer)

function demandRate({ anchor, fx }: PriceSources, { asset, currency, direction, terms }: Priced) {
  const { anchoredTo } = servedAsset(anchor, asset)
  const rate = quotedRate(fx, anchoredTo, currency, { direction, spread: terms?.spread })
  if (rate) return rate
  // A rate that is not new enough comes back: nothing ends because of it.
  if (anchor.fxRatesWithin !== undefined) throw unavailable(`The exchange rate for ${currency}`)
  throw new Problem('unsupported-pair', `There is no rate for ${currency}.`)
}

function checked({ anchor }: PriceSources, transfer: Priced, calculate: () => Price): Price {
  const { min, max } = limitsOf(anchor.plan, transfer)
  try {
    const price = calculate()
    if (price.amount < parseAmount(min)) throw new PriceError(`the amount must be at least ${min}`)
    if (price.amount > parseAmount(max)) throw new PriceError(`the amount must be at most ${max}`)
    return price
  } catch (error) {
    if (error instanceof PriceError) throw new Problem('validation-failed', error.message)
    throw error
  }
}

/** The columns of {@link priceOf} an amount at a time. */
export const pricedAt = (terms: PriceSources, transfer: Priced, amount: Amount, at: Date): Kept =>
  columnsOf(terms, priceOf(terms, transfer, amount), transfer, at)

/** The columns of what money that came over the rail buys. Throws `validation-failed`. */
export function moneyPricedAt(terms: PriceSources, transfer: Priced, fiat: Amount, at: Date): Kept {
  const fees = feeScheduleOf(terms.anchor.plan, transfer)
  const rate = demandRate(terms, transfer)
  const price = checked(terms, transfer, () => depositFor(fiat, fees, rate))
  return columnsOf(terms, price, transfer, at)
}

function columnsOf(terms: PriceSources, price: Price, of: Priced, at: Date): Kept {
  const { anchor, fx } = terms
  const rate = demandRate(terms, of)
  return {
    amount: formatAmount(price.amount),
    fee: formatAmount(price.fee),
    fiat_amount: formatAmount(price.fiat),
    rate: formatRate(rate),
    exchange: exchangeTerms(fx, {
      anchoredTo: servedAsset(anchor, of.asset).anchoredTo,
      ...{ currency: of.currency, spread: of.terms?.spread, isLive: anchor.fxRatesWithin !== undefined, at },
    }),
  }
}

/**
 * The columns of a deposit whose units are on the ledger already, priced at a rate that nobody recorded: it follows from
 * the money, the units and the transfer's fees, so that nothing is left to explain.
 */
export function columnsAsPaid(
  { anchor }: PriceSources,
  transfer: Priced,
  { money, units }: { money: Amount; units: Amount },
): Kept {
  const fee = feeFor(feeScheduleOf(anchor.plan, transfer), units)
  return {
    amount: formatAmount(units),
    fee: formatAmount(fee),
    fiat_amount: formatAmount(money),
    rate: ratio(money, add(units, fee)),
    exchange: null,
  }
}

/** The transfer's amounts as the SEP server receives them; nothing before they are settled. */
export function sepAmounts(
  anchor: AnchorConfig,
  row: Priced & Pick<Transfer, 'amount' | 'fee' | 'fiat_amount' | 'rate'>,
): Pick<RpcParams, 'amount_in' | 'amount_out' | 'amount_expected' | 'fee_details'> {
  if (row.amount === null || row.fee === null || row.fiat_amount === null) return {}
  const asset = assetName(servedAsset(anchor, row.asset))
  const units = { amount: formatAmount(parseAmount(row.amount)), asset }
  const money = { amount: formatAmount(parseAmount(row.fiat_amount)), asset: `iso4217:${row.currency}` }
  const [amount_in, amount_out] = row.direction === 'deposit' ? [money, units] : [units, money]
  return {
    amount_in,
    amount_out,
    amount_expected: amount_in,
    fee_details: feeDetails(anchor, row, row.fee, roundingOf(row)),
  }
}

/**
 * The fee with the amount that rounding to hundredths leaves to the anchor: what the customer gives, less the fee, is
 * exactly what they get.
 */
function feeDetails(anchor: AnchorConfig, of: Priced, fee: string, rounding: Amount): FeeDetails {
  const total = parseAmount(fee)
  const { fixed } = feeScheduleOf(anchor.plan, of)
  const rounded = rounding > 0n
  return {
    total: formatAmount(rounded ? add(total, rounding) : total),
    asset: assetName(servedAsset(anchor, of.asset)),
    details: [
      { name: 'Fixed fee', amount: formatAmount(fixed) },
      { name: 'Service fee', amount: formatAmount(amountOf(total - fixed)) },
      ...(rounded ? [{ name: 'Rounding', amount: formatAmount(rounding) }] : []),
    ],
  }
}
