import Type, { type Static } from 'typebox'
import { AmountInput, Id, Page, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'

const Word = (description: string, maxLength = 32) => Type.Optional(Type.String({ maxLength, description }))
const Alias = (name: string, maxLength = 32) =>
  Type.Optional(Type.String({ maxLength, description: `Another name of \`${name}\``, deprecated: true }))

const AmountAlias = Type.Optional(
  Type.Union(AmountInput.anyOf, { description: 'Another name of `amount`', deprecated: true }),
)

/**
 * The transaction to route or quote. Amount, asset and rail are required; each has an alias beside it, and a missing
 * one is reported under its first name.
 */
export const transactionFields = {
  amount: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Number()], {
      description: 'Asset units, a decimal string or a number, more than 0',
    }),
  ),
  transactionAmount: AmountAlias,
  transaction_amount: AmountAlias,
  asset: Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 80 }),
        Type.Object({
          code: Type.String({ minLength: 1, maxLength: 12 }),
          issuer: Type.Optional(Type.String({ maxLength: 60 })),
        }),
      ],
      { description: '`CODE`, `CODE:ISSUER` or `{code, issuer?}`, and `native` for XLM; codes in any case' },
    ),
  ),
  assetCode: Alias('asset', 80),
  asset_code: Alias('asset', 80),
  rail: Word('Payment rail such as `UPI`, in any case'),
  paymentRail: Alias('rail'),
  payment_rail: Alias('rail'),
  region: Word('ISO 3166 alpha-2 in any case; absent: any'),
  country: Alias('region'),
  currency: Word('What the customer pays in, such as `INR`'),
  sourceCurrency: Alias('currency'),
  external: Type.Optional(
    Type.Boolean({
      description:
        'Whether anchors of other platforms, which nobody at this platform approved, compete too; by default false',
    }),
  ),
  currencyPair: Word('`INR/USDC`: currency and asset in one'),
}

/** Groups of {@link transactionFields}; one field of each is required. */
export const transactionNeeds = [
  ['amount', 'transactionAmount'],
  ['asset', 'assetCode', 'currencyPair'],
  ['rail', 'paymentRail'],
] as const

/**
 * What an eligible anchor is scored by, each from 0 to 100, with its weight in the default policy. Forms, explanations
 * and storage go through this list; the aggregator has a rule for each name.
 */
export const scores = [
  {
    name: 'fee',
    label: 'Fee',
    hint: 'Fee and share of the exchange rate, compared with the cheapest eligible anchor.',
    weight: '0.4',
  },
  { name: 'speed', label: 'Speed', hint: 'Instant settlement is 100, within 60 minutes 50.', weight: '0.2' },
  { name: 'uptime', label: 'Uptime', hint: 'Share of good health checks in the last hour.', weight: '0.2' },
  { name: 'liquidity', label: 'Liquidity', hint: 'Treasury capacity against the amount.', weight: '0.2' },
] as const
export type ScoreName = (typeof scores)[number]['name']
export type PerScore<T> = Record<ScoreName, T>

/** One value for each score. */
export function perScore<T>(valueOf: (score: (typeof scores)[number]) => T): PerScore<T> {
  const values: Partial<PerScore<T>> = {}
  for (const score of scores) values[score.name] = valueOf(score)
  return values as PerScore<T>
}

/** One value for each score: `rest` for those that are not given. */
export const fillScores = <T>(given: Partial<PerScore<T>>, rest: T): PerScore<T> =>
  perScore(({ name }) => given[name] ?? rest)

/** Fractions that sum to 1. */
export const Weights = Type.Object(perScore(() => Type.Number()))
export type Weights = Static<typeof Weights>

/** Each from 0 to 100, rounded to four digits for display; ranking uses the exact values. */
export const Scores = Type.Object(perScore(() => Type.Number()))
export type Scores = Static<typeof Scores>

const externalFields = {
  /** True for an anchor of another platform. */
  external: Type.Optional(Type.Boolean()),
  /** What is unknown about an external anchor and so gets the worst score. */
  unknown: Type.Optional(Type.Array(Type.String())),
}

/** Who issues the asset at this anchor: a bare code may mean assets of several issuers. */
export const Issuer = Type.Optional(Type.String())

/** The anchor's share of the exchange rate in deposits, a fraction such as `0.02`; absent: none, or none is known. */
const SpreadOfRate = Type.Optional(Type.String())

export const Candidate = Type.Object({
  rank: Type.Integer(),
  anchorId: Type.String(),
  slug: Type.String(),
  issuer: Issuer,
  /** The anchor's fee for this amount, in asset units. */
  fee: Type.String(),
  /** Counts in the fee score as the fee does. */
  spread: SpreadOfRate,
  score: Type.Number(),
  scores: Scores,
  /** Whether the amount is within the anchor's limits; absent in decisions from before it was stored. */
  withinLimits: Type.Optional(Type.Boolean()),
  ...externalFields,
})
export type Candidate = Static<typeof Candidate>

/** The hard filter in the order in which it is applied; an anchor counts under the first rule it fails. */
export const eligibilityRules = [
  'asset',
  'rail',
  'region',
  'status',
  'availability',
  'domain',
  'external',
  'pair',
  'limits',
  'capacity',
] as const
export type EligibilityRule = (typeof eligibilityRules)[number]

/** Who was not eligible and why; capacities of anchors are not shown. */
export const Rejected = Type.Object({
  byRule: Type.Object(
    Object.fromEntries(eligibilityRules.map(rule => [rule, Type.Optional(Type.Integer())])),
  ),
  examples: Type.Array(Type.Object({ anchorId: Type.String(), rule: Type.String(), detail: Type.String() })),
})
export interface Rejected {
  byRule: { [rule in EligibilityRule]?: number }
  examples: { anchorId: string; rule: EligibilityRule; detail: string }[]
}

const routed = {
  anchorId: Type.String(),
  slug: Type.String(),
  domain: Type.String(),
  amount: Type.String(),
  asset: Type.String(),
  issuer: Issuer,
  rail: Type.String(),
  region: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  score: Type.Number(),
  scores: Scores,
  weights: Weights,
  policyId: Type.String(),
  /** The winner's fee in asset units. */
  fee: Type.String(),
  spread: SpreadOfRate,
  /**
   * The winner's limits for one transaction, in asset units. Where another anchor keeps them, they do not decide who
   * is eligible: an amount outside them (`within: false`) is refused when the transaction starts. Absent in decisions from before they were stored.
   */
  limits: Type.Optional(Type.Object({ min: Type.String(), max: Type.String(), within: Type.Boolean() })),
  ...externalFields,
  /** The best twenty, ranked. */
  candidates: Type.Array(Candidate),
  /** How many anchors were eligible. */
  eligible: Type.Integer(),
  rejected: Rejected,
  /** Plain text: the filter, the scores, the weights and why the winner won. */
  reasoning: Type.String(),
  decisionId: Type.String(),
  decidedAt: Type.String(),
  /** The database is unavailable: this was decided from the aggregator's last known state. */
  stale: Type.Boolean(),
}

export const RouteAnswer = Type.Object(routed)
export type RouteAnswer = Static<typeof RouteAnswer>

export const RouteRequest = Type.Object({
  ...transactionFields,
  policyId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Another policy than the active one; needs x-service-secret' }),
  ),
})
export type RouteRequest = Static<typeof RouteRequest>

export const routeTransaction = endpoint('POST /route', {
  realm: 'public',
  limit: 'shared',
  summary: 'Selects the best anchor for a transaction and says why',
  body: RouteRequest,
  needs: transactionNeeds,
  response: { 200: RouteAnswer },
  problems: ['no-eligible-anchor', 'policy-not-found', 'unauthenticated'],
})

/** A decision as it was answered, answered again from the snapshot it was made on. */
export const getDecision = endpoint('GET /decisions/:id', {
  realm: 'public',
  limit: 'shared',
  conditional: true,
  summary: 'A routing decision as it was made',
  params: Type.Object({ id: Id }),
  response: { 200: RouteAnswer },
  problems: ['decision-not-found', 'no-eligible-anchor'],
})

/** One decision from one anchor's point of view: won, lost by how much, or rejected by which rule. */
export const AnchorOutcome = Type.Object({
  decisionId: Type.String(),
  decidedAt: Time,
  amount: Type.String(),
  asset: Type.String(),
  rail: Type.String(),
  region: Type.Optional(Type.String()),
  outcome: Type.Enum(['chosen', 'outscored', 'rejected']),
  rank: Type.Optional(Type.Integer()),
  score: Type.Optional(Type.Number()),
  scores: Type.Optional(Scores),
  winningScore: Type.Number(),
  rule: Type.Optional(Type.String()),
  detail: Type.String(),
})
export type AnchorOutcome = Static<typeof AnchorOutcome>

export const listAnchorOutcomes = endpoint('GET /anchors/:id/decisions', {
  realm: 'service',
  summary: 'Why an anchor was or was not chosen in the latest decisions that name it, newest first',
  params: Type.Object({ id: Id }),
  query: Type.Object(Page),
  response: { 200: Type.Object({ decisions: Type.Array(AnchorOutcome) }) },
  problems: ['anchor-not-found'],
})

/** A route that no anchor could serve, from the point of view of an anchor that has the asset. */
export const MissedRoute = Type.Object({
  decisionId: Type.String(),
  decidedAt: Time,
  amount: Type.String(),
  asset: Type.String(),
  rail: Type.String(),
  region: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  /** The first rule that the anchor failed. */
  rule: Type.Enum([...eligibilityRules]),
  detail: Type.String(),
})
export type MissedRoute = Static<typeof MissedRoute>

export const listMissedRoutes = endpoint('GET /anchors/:id/missed', {
  realm: 'service',
  summary:
    'Routes for an asset of the anchor that no anchor could serve, and why this one could not, newest first',
  params: Type.Object({ id: Id }),
  query: Type.Object(Page),
  response: { 200: Type.Object({ missed: Type.Array(MissedRoute) }) },
  problems: ['anchor-not-found'],
})

const Weight = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.String({ maxLength: 20 })])
/** Each at least 0 with at most 6 digits; together exactly 1. */
export const WeightsInput = Type.Object(perScore(() => Weight))
export type WeightsInput = Static<typeof WeightsInput>

export const RoutingPolicy = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  name: Type.String(),
  weights: Weights,
  active: Type.Boolean(),
  createdAt: Time,
  activatedAt: Type.Union([Time, Type.Null()]),
})
export type RoutingPolicy = Static<typeof RoutingPolicy>

export const listPolicies = endpoint('GET /routing-policies', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  conditional: true,
  summary: 'Every version of the routing policy, newest first; one is active',
  query: Type.Object(Page),
  response: { 200: Type.Object({ policies: Type.Array(RoutingPolicy) }) },
})

export const createPolicy = endpoint('POST /routing-policies', {
  realm: 'service',
  summary: 'Adds a version of the routing policy; it becomes the active one unless `active` is false',
  body: Type.Object({
    name: Type.Optional(OneLine(200)),
    weights: WeightsInput,
    active: Type.Optional(Type.Boolean()),
  }),
  response: { 201: Type.Object({ policy: RoutingPolicy }) },
  idempotent: 'replay',
})

export const PolicyParams = Type.Object({ id: Id })

export const activatePolicy = endpoint('POST /routing-policies/:id/activate', {
  realm: 'service',
  summary: 'Makes a version the active one',
  params: PolicyParams,
  response: { 200: Type.Object({ policy: RoutingPolicy }) },
  problems: ['policy-not-found'],
})

const replayRange = {
  /** How many of the latest decisions; by default 1,000. */
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
}

const Share = Type.Object({ anchorId: Type.String(), before: Type.Integer(), after: Type.Integer() })

export const Replay = Type.Object({
  weights: Weights,
  /** Decisions that were scored again. */
  decisions: Type.Integer(),
  /** Those that another anchor would have won. */
  changed: Type.Integer(),
  /** Wins of each anchor as decided and under these weights. */
  shares: Type.Array(Share),
  /** The latest twenty that change. */
  examples: Type.Array(
    Type.Object({
      decisionId: Type.String(),
      decidedAt: Time,
      before: Type.String(),
      after: Type.String(),
      beforeScore: Type.Number(),
      afterScore: Type.Number(),
    }),
  ),
})
export type Replay = Static<typeof Replay>

export const replayPolicy = endpoint('POST /routing-policies/:id/replay', {
  realm: 'service',
  summary: 'Scores past decisions under a policy; changes nothing',
  params: PolicyParams,
  body: Type.Object(replayRange),
  response: { 200: Replay },
  problems: ['policy-not-found'],
})

export const replayWeights = endpoint('POST /routing-policies/replay', {
  realm: 'service',
  summary: 'Scores past decisions under weights that are not saved; changes nothing',
  body: Type.Object({ weights: WeightsInput, ...replayRange }),
  response: { 200: Replay },
})
