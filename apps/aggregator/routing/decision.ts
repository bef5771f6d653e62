import type { EligibilityRule, Rejected, RouteAnswer } from '@windlass/contracts/routing.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { explain, explainRejection } from './explain.ts'
import type { RejectedAnchors } from './filter.ts'
import type { Ranking } from './rank.ts'
import { shownScores, shownWeights, type Contender, type PolicyWeights, type Terms } from './score.ts'
import type { Transaction } from './transaction.ts'

/** A decision as it is kept: everything its answer, its reasoning and a replay under other weights are made from. */
export interface Decision {
  id: string
  decidedAt: Date
  policyId: string
  transaction: Transaction
  weights: PolicyWeights
  cheapest: bigint
  eligible: number
  domain: string
  top: Contender[]
  others: Contender[]
  rejected: RejectedAnchors
  stale: boolean
}

export function decisionOf(
  ranking: Ranking,
  made: Pick<Decision, 'id' | 'decidedAt' | 'policyId' | 'transaction' | 'domain' | 'stale'>,
): Decision {
  const { top, others, eligible, terms, rejected } = ranking
  return { ...made, weights: terms.weights, cheapest: terms.cheapest, eligible, top, others, rejected }
}

export const termsOf = (decision: Decision, weights = decision.weights): Terms => ({
  amount: decision.transaction.amount,
  cheapest: decision.cheapest,
  weights,
})

/** The answer of `POST /route` and of `GET /decisions/:id`. */
export function renderDecision(decision: Decision): RouteAnswer {
  const { transaction, weights, top } = decision
  const terms = termsOf(decision)
  const shown = shownWeights(weights)
  const candidates = top.map((contender, place) => ({
    rank: place + 1,
    anchorId: contender.anchorId,
    slug: contender.slug,
    fee: formatAmount(amountOf(contender.fee)),
    ...shownScores(contender, terms, shown),
  }))
  const winner = candidates[0]
  if (!winner) throw new Error('a decision has a winner')
  return {
    anchorId: winner.anchorId,
    slug: winner.slug,
    domain: decision.domain,
    amount: formatAmount(transaction.amount),
    asset: transaction.asset,
    rail: transaction.rail,
    region: transaction.region,
    currency: transaction.currency,
    score: winner.score,
    scores: winner.scores,
    weights: shown,
    policyId: decision.policyId,
    fee: winner.fee,
    candidates,
    eligible: decision.eligible,
    rejected: renderRejected(decision.rejected, transaction),
    reasoning: explain(decision, candidates),
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    stale: decision.stale,
  }
}

export function renderRejected(rejected: RejectedAnchors, transaction: Transaction): Rejected {
  const details = new Map<EligibilityRule, string>()
  const detailOf = (rule: EligibilityRule): string => {
    const known = details.get(rule) ?? explainRejection(rule, transaction)
    details.set(rule, known)
    return known
  }
  return {
    byRule: rejected.byRule,
    examples: rejected.examples.map(({ anchorId, rule }) => ({ anchorId, rule, detail: detailOf(rule) })),
  }
}

// The stored form: names once in this file instead of in each of millions of rows.
type StoredContender = [string, string, string, number, number, number, string]

const storeContender = (c: Contender): StoredContender => [
  c.anchorId,
  c.slug,
  c.fee.toString(),
  c.speed,
  c.good,
  c.checks,
  c.capacity.toString(),
]

const loadContender = ([anchorId, slug, fee, speed, good, checks, capacity]: StoredContender): Contender => ({
  anchorId,
  slug,
  fee: BigInt(fee),
  speed,
  good,
  checks,
  capacity: BigInt(capacity),
})

/** What a row of `routing_decisions` holds beside its columns. */
export interface StoredDecision {
  amount: string
  asset: string
  rail: string
  region?: string
  currency?: string
  weights: [string, string, string, string]
  cheapest: string
  eligible: number
  domain: string
  top: StoredContender[]
  others: StoredContender[]
  byRule: RejectedAnchors['byRule']
  examples: [string, EligibilityRule][]
  stale: boolean
}

export function storeDecision(decision: Decision): StoredDecision {
  const { transaction, weights } = decision
  return {
    ...transaction,
    amount: formatAmount(transaction.amount),
    weights: [
      weights.fee.toString(),
      weights.speed.toString(),
      weights.uptime.toString(),
      weights.liquidity.toString(),
    ],
    cheapest: decision.cheapest.toString(),
    eligible: decision.eligible,
    domain: decision.domain,
    top: decision.top.map(storeContender),
    others: decision.others.map(storeContender),
    byRule: decision.rejected.byRule,
    examples: decision.rejected.examples.map(({ anchorId, rule }) => [anchorId, rule]),
    stale: decision.stale,
  }
}

export function loadDecision(
  row: { id: string; decided_at: Date; policy_id: string },
  stored: StoredDecision,
): Decision {
  const [fee, speed, uptime, liquidity] = stored.weights
  const { asset, rail, region, currency } = stored
  return {
    id: row.id,
    decidedAt: row.decided_at,
    policyId: row.policy_id,
    transaction: { amount: parseAmount(stored.amount), asset, rail, region, currency },
    weights: { fee: BigInt(fee), speed: BigInt(speed), uptime: BigInt(uptime), liquidity: BigInt(liquidity) },
    cheapest: BigInt(stored.cheapest),
    eligible: stored.eligible,
    domain: stored.domain,
    top: stored.top.map(loadContender),
    others: stored.others.map(loadContender),
    rejected: {
      byRule: stored.byRule,
      examples: stored.examples.map(([anchorId, rule]) => ({ anchorId, rule })),
    },
    stale: stored.stale,
  }
}
