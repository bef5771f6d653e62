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

/** What a row of `routing_decisions` holds beside its columns. Lists are written as {@link storeList} does. */
export interface StoredDecision {
  amount: string
  asset: string
  rail: string
  region?: string
  currency?: string
  weights: string
  cheapest: string
  eligible: number
  domain: string
  top: string
  others: string
  byRule: RejectedAnchors['byRule']
  examples: string
  stale: boolean
}

/** Rows of plain words in one string: millions of decisions are kept, most never read, and quotes cost the most. */
const storeList = (rows: readonly (readonly (string | number | bigint)[])[]): string =>
  rows.map(row => row.join(',')).join(';')

const loadList = (text: string): string[][] => (text === '' ? [] : text.split(';').map(row => row.split(',')))

// Ids and slugs have neither commas nor semicolons: registration sees to it.
const storeContenders = (contenders: readonly Contender[]): string =>
  storeList(contenders.map(c => [c.anchorId, c.slug, c.fee, c.speed, c.good, c.checks, c.capacity]))

const loadContenders = (text: string): Contender[] =>
  loadList(text).map(([anchorId = '', slug = '', fee = '', speed, good, checks, capacity = '']) => ({
    anchorId,
    slug,
    fee: BigInt(fee),
    speed: Number(speed),
    good: Number(good),
    checks: Number(checks),
    capacity: BigInt(capacity),
  }))

export function storeDecision(decision: Decision): StoredDecision {
  const { transaction, weights } = decision
  return {
    ...transaction,
    amount: formatAmount(transaction.amount),
    weights: storeList([[weights.fee, weights.speed, weights.uptime, weights.liquidity]]),
    cheapest: decision.cheapest.toString(),
    eligible: decision.eligible,
    domain: decision.domain,
    top: storeContenders(decision.top),
    others: storeContenders(decision.others),
    byRule: decision.rejected.byRule,
    examples: storeList(decision.rejected.examples.map(({ anchorId, rule }) => [anchorId, rule])),
    stale: decision.stale,
  }
}

export function loadDecision(
  row: { id: string; decided_at: Date; policy_id: string },
  stored: StoredDecision,
): Decision {
  const [fee = '', speed = '', uptime = '', liquidity = ''] = stored.weights.split(',')
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
    top: loadContenders(stored.top),
    others: loadContenders(stored.others),
    rejected: {
      byRule: stored.byRule,
      examples: loadList(stored.examples).map(([anchorId = '', rule]) => ({
        anchorId,
        rule: rule as EligibilityRule,
      })),
    },
    stale: stored.stale,
  }
}
