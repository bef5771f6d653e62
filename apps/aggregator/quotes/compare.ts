import type { QuoteComparison } from '@windlass/contracts/quotes.ts'
import type { Rejected } from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import type { Static } from 'typebox'
import type { QuoteRequest } from '@windlass/contracts/quotes.ts'
import type { Entry } from '../registry/entry.ts'
import { renderRejected } from '../routing/decision.ts'
import { filterAnchors } from '../routing/filter.ts'
import { shownScores, type Standing, type Terms } from '../routing/score.ts'
import { readPayment } from './issue.ts'
import { price, rateAt, type Payment, type Price } from './price.ts'
import { quoteRules, whyNone, type SelectionDeps } from './selection.ts'

const AT_MOST = 100

/**
 * What each eligible anchor would take, cheapest first; between equals by anchor id. Stores nothing. Throws as a quote
 * does where nobody is eligible.
 */
export function compareQuotes(
  deps: SelectionDeps,
  request: QuoteRequest,
): { quotes: Static<typeof QuoteComparison>[]; rejected: Rejected } {
  const payment = readPayment(request)
  deps.index.advance(deps.clock.now())
  const { eligible, rejected } = filterAnchors(deps.index, payment, quoteRules(deps, payment))
  if (eligible.length === 0) throw whyNone(deps, payment, rejected)
  const priced = Array.from(eligible, slot => priceAt(deps, deps.index.at(slot), payment))
  const cheapest = priced.reduce(
    (low, { price }) => (price.fee.total < low ? price.fee.total : low),
    priced[0]!.price.fee.total,
  )
  const terms = { amount: payment.amount, cheapest, weights: deps.policies.active.weights }
  return {
    quotes: priced
      .sort((a, b) => compareAmounts(a.price.sellAmount, b.price.sellAmount))
      .slice(0, AT_MOST)
      .map(({ entry, price }) => comparisonOf(deps, entry, payment, price, terms)),
    rejected: renderRejected(rejected, payment),
  }
}

function priceAt({ fx }: SelectionDeps, entry: Entry, payment: Payment): { entry: Entry; price: Price } {
  const rate = rateAt(fx, entry, payment)
  if (!rate) throw new Error('an eligible anchor has a rate')
  return { entry, price: price(entry, payment, rate) }
}

const compareAmounts = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

function comparisonOf(
  deps: SelectionDeps,
  entry: Entry,
  payment: Payment,
  { fee, fxRate, sellAmount }: Price,
  terms: Terms,
) {
  const standing: Standing = {
    fee: fee.total,
    speed: entry.settlement === 'instant' ? 100 : 50,
    capacity: deps.index.freeCapacity(entry),
    ...deps.index.uptimeOf(entry),
  }
  return {
    anchorId: entry.id,
    slug: entry.slug,
    domain: entry.domain,
    amount: formatAmount(payment.amount),
    currency: payment.currency,
    asset: payment.asset,
    rail: payment.rail,
    region: payment.region,
    fxRate: formatRate(fxRate),
    fee: {
      fixed: formatAmount(fee.fixed),
      percentage: formatRate(fee.percentage),
      variable: formatAmount(fee.variable),
      total: formatAmount(fee.total),
    },
    sellAmount: formatAmount(sellAmount),
    buyAmount: formatAmount(payment.amount),
    ...shownScores(standing, terms),
  }
}
