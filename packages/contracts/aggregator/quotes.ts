import Type, { type Static } from 'typebox'
import { Id, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { Issuer, Rejected, Scores, transactionFields, transactionNeeds } from './routing.ts'

/** Asset units. `percentage` is a fraction; `total = fixed + amount × percentage`, half up to the 7th digit. */
export const QuotedFee = Type.Object({
  fixed: Type.String(),
  percentage: Type.String(),
  /** `amount × percentage`. */
  variable: Type.String(),
  total: Type.String(),
})

const priced = {
  anchorId: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  asset: Type.String(),
  issuer: Issuer,
  rail: Type.String(),
  region: Type.Optional(Type.String()),
  /** Currency units per asset unit. */
  fxRate: Type.String(),
  fee: QuotedFee,
  /** What the customer pays, in the currency: `(amount + fee.total) × fxRate`, half up to the 7th digit. */
  sellAmount: Type.String(),
  /** What the customer gets, in the asset: the amount. */
  buyAmount: Type.String(),
}

export const Quote = Type.Object({
  id: Type.String(),
  ...priced,
  /** A firm quote reserves its amount of the anchor's capacity until it expires. */
  firm: Type.Boolean(),
  status: Type.Enum(['open', 'expired']),
  createdAt: Time,
  expiresAt: Time,
  reasoning: Type.String(),
})
export type Quote = Static<typeof Quote>

export const QuoteRequest = Type.Object({
  ...transactionFields,
  anchorId: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Quote this anchor; absent: the first in the order of routing',
    }),
  ),
  firm: Type.Optional(
    Type.Boolean({
      description:
        "Reserve the amount of the anchor's capacity until the quote expires. One client may reserve a quarter of an anchor's capacity in 15 minutes, all clients together half of it",
    }),
  ),
})
export type QuoteRequest = Static<typeof QuoteRequest>

const quoting = {
  realm: 'public',
  limit: 'shared',
  summary: 'Quotes the cost of a transaction; valid for 300 seconds',
  body: QuoteRequest,
  needs: transactionNeeds,
  response: { 201: Quote },
  problems: [
    'unsupported-pair',
    'no-eligible-anchor',
    'reservation-limit',
    'anchor-not-found',
    'dependency-unavailable',
    'too-many-requests',
  ],
  idempotent: 'replay',
} as const

export const createQuote = endpoint('POST /quotes', quoting)
/** The same under its other name. */
export const createQuoteAlias = endpoint('POST /quote', {
  ...quoting,
  deprecated: { since: '2026-11-22', use: 'POST /quotes' },
})

export const QuoteComparison = Type.Object({
  ...priced,
  slug: Type.String(),
  domain: Type.String(),
  score: Type.Number(),
  scores: Scores,
})

export const compareQuotes = endpoint('POST /quotes/compare', {
  realm: 'public',
  limit: 'shared',
  summary: 'The itemised cost at every eligible anchor, cheapest first, at most 100; nothing is stored',
  body: Type.Object(transactionFields),
  needs: transactionNeeds,
  response: { 200: Type.Object({ quotes: Type.Array(QuoteComparison), rejected: Rejected }) },
  problems: ['unsupported-pair', 'no-eligible-anchor'],
})

export const getQuote = endpoint('GET /quotes/:id', {
  realm: 'public',
  limit: 'shared',
  conditional: true,
  summary: 'A quote by its id, also after it has expired',
  params: Type.Object({ id: Id }),
  response: { 200: Quote },
  problems: ['quote-not-found'],
})
