import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

/*
 * How much risk a customer is by rules of the anchor, and what follows. Nothing of it comes from a suspicion: customers see
 * what follows.
 */

export const ratings = ['low', 'normal', 'high'] as const
export type Rating = (typeof ratings)[number]
const RatingName = Type.Enum([...ratings])
export const rank = (rating: Rating): number => ratings.indexOf(rating)

/** What a rule looks at, and its parameter. */
export const riskFactors = {
  /** Where the customer lives. */
  residence: 'countries',
  /** Which country's document they have. */
  document: 'countries',
  /** They live in a country with high risk, or have a document of one, by the anchor's rules for countries. */
  'high-risk-country': null,
  /** An organization. */
  organization: null,
  /** A person. */
  person: null,
  /** A customer for less than so many days. */
  'newer-than': 'days',
  /** A customer for at least so many days. */
  'older-than': 'days',
  /** More than so much in 30 days, in units of the first asset or as much of another one. */
  'volume-above': 'amount',
} as const satisfies Record<string, 'countries' | 'days' | 'amount' | null>
export type RiskFactor = keyof typeof riskFactors

export const RiskRule = Type.Object({
  when: Type.Enum(Object.keys(riskFactors) as RiskFactor[]),
  /** By ISO 3166-1, two letters. */
  countries: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { minItems: 1, maxItems: 250, uniqueItems: true }),
  ),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
  amount: Type.Optional(Amount),
  rating: RatingName,
})
export type RiskRule = Static<typeof RiskRule>

/** What follows from a rating. */
export const RiskMeasures = Type.Object({
  /** How much of the limits of their tier these customers have. */
  limitPercent: Type.Integer({ minimum: 1, maximum: 100 }),
  /** Whether they say where their money comes from before they pay. */
  asksSourceOfFunds: Type.Boolean(),
  /** After so many months a person looks at the customer again. */
  reviewMonths: Type.Integer({ minimum: 1, maximum: 60 }),
})
export type RiskMeasures = Static<typeof RiskMeasures>

export const RiskRules = Type.Object({
  /** The highest rating of those that apply counts; where none applies, the rating is normal. */
  rules: Type.Array(RiskRule, { maxItems: 30 }),
  measures: Type.Object({ low: RiskMeasures, normal: RiskMeasures, high: RiskMeasures }),
})
export type RiskRules = Static<typeof RiskRules>

/** The rules that count first, then earlier ones, at most 20, and last those that count until someone sets some. */
export const RiskRulesHistory = Type.Object({
  history: Type.Array(
    Type.Object({
      version: Count,
      rules: RiskRules,
      /** `operator:<id>`; null: nobody. */
      by: Nullable(Type.String()),
      at: Nullable(Time),
    }),
    { maxItems: 21 },
  ),
})
export type RiskRulesHistory = Static<typeof RiskRulesHistory>

export const CustomerRating = Type.Object({
  customer: Type.String(),
  rating: RatingName,
  /** Which rules gave it. */
  reasons: Type.Array(Type.Enum(Object.keys(riskFactors) as RiskFactor[])),
  /** A person said that it is at least this. */
  atLeast: Nullable(RatingName),
  /** Why they said so. */
  note: Nullable(Type.String()),
  /** `rules`, or `operator:<id>` */
  by: Type.String(),
  rulesVersion: Count,
  /** `YYYY-MM-DD`: by then a person looks at the customer again. */
  reviewOn: Type.String(),
  at: Time,
})
export type CustomerRating = Static<typeof CustomerRating>

const Params = Type.Object({ id: Id })
export const RiskRulesChange = { rules: RiskRules, version: Count, ...weakening }
export const RatingsQuery = Type.Object({
  rating: Type.Optional(RatingName),
  /** Only those whose day of review is over. */
  due: Type.Optional(Type.Boolean()),
  ...Page,
})
/** A person looked at the customer: the rules give the rating, and it is at least this. */
export const RatingReview = { atLeast: Nullable(RatingName), note: Text(2000), ...weakening }

export const getRiskRules = endpoint('GET /api/v1/risk-rules', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'How customers are rated by risk, and what follows',
  response: { 200: RiskRulesHistory },
})

export const listCustomerRatings = endpoint('GET /api/v1/customer-ratings', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Customers by risk, those rated last first',
  query: RatingsQuery,
  response: { 200: Type.Array(CustomerRating) },
})

export const getCustomerRating = endpoint('GET /api/v1/customers/:id/ratings', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'The ratings of a customer, newest first, at most 50',
  params: Params,
  response: { 200: Type.Object({ ratings: Type.Array(CustomerRating) }) },
  problems: ['customer-not-found'],
})

/* For the platform, which knows the operator and their role. */

export const setRiskRulesAs = endpoint('PUT /admin/risk-rules', {
  realm: 'anchor-admin',
  summary: 'Sets how customers are rated by risk, and what follows',
  body: signed(Type.Object(RiskRulesChange)),
  response: { 200: RiskRulesHistory },
  problems: ['settings-changed'],
  idempotent: 'replay',
})

export const reviewCustomerRatingAs = endpoint('POST /admin/customers/:id/rating', {
  realm: 'anchor-admin',
  summary: 'Records that a person looked at the risk of a customer',
  params: Params,
  body: signed(Type.Object(RatingReview)),
  response: { 200: CustomerRating },
  problems: ['customer-not-found'],
  idempotent: 'secret',
})
