import type { QuoteComparison, QuoteRequest } from '@windlass/contracts/aggregator/quotes.ts'
import type { Rejected } from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import type { Static } from 'typebox'
import { findEntry } from '../registry/find.ts'
import type { Ranked } from '../routing/rank.ts'
import { renderRejected } from '../routing/rejections.ts'
import { readPayment } from './issue.ts'
import { price, offerAt, type Payment, type Price } from './price.ts'
import { everyQuotable, whyNone, type SelectionDeps } from './selection.ts'

const AT_MOST = 100

/**
 * What each eligible anchor would charge, cheapest first; equal ones by anchor id. Stores nothing. Throws as a quote does
 * if no anchor is eligible.
 */
export function compareQuotes(
  deps: SelectionDeps,
  request: QuoteRequest,
): { quotes: Static<typeof QuoteComparison>[]; rejected: Rejected } {
  const payment = readPayment(request)
  const { eligible, rejected } = everyQuotable(deps, payment)
  if (eligible.length === 0) throw whyNone(deps, payment, rejected)
  return {
    quotes: eligible
      .map(ranked => ({ ranked, price: priceAt(deps, ranked, payment) }))
      .sort((a, b) => compareAmounts(a.price.sellAmount, b.price.sellAmount))
      .slice(0, AT_MOST)
      .map(({ ranked, price }) => comparisonOf(ranked, payment, price)),
    rejected: renderRejected(rejected, payment),
  }
}

function priceAt({ fx, index }: SelectionDeps, { anchorId }: Ranked, payment: Payment): Price {
  const entry = findEntry(index, anchorId)
  const offer = offerAt(fx, entry, payment)
  if (!offer) throw new Error('an eligible anchor has a rate')
  return price(entry, payment, offer)
}

const compareAmounts = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

function comparisonOf(ranked: Ranked, payment: Payment, { fee, fxRate, issuer, sellAmount }: Price) {
  return {
    anchorId: ranked.anchorId,
    slug: ranked.contender.slug,
    domain: ranked.contender.domain,
    amount: formatAmount(payment.amount),
    currency: payment.currency,
    asset: payment.asset,
    issuer,
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
    score: ranked.score,
    scores: ranked.scores,
  }
}
