import type { Candidate, RouteAnswer } from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { rankingOf, type Decision } from './decision.ts'
import { explain } from './explain.ts'
import type { Ranked } from './rank.ts'
import { renderRejected } from './rejections.ts'
import { weightNumbers } from './scores.ts'

/** The answer of `POST /route` and of `GET /decisions/:id`. */
export function renderDecision(decision: Decision, ranking = rankingOf(decision)): RouteAnswer {
  const { transaction, stale } = decision
  const { top, eligible, rejected } = ranking
  const weights = weightNumbers(decision.weights)
  const candidates = top.map(renderCandidate)
  const [winner] = candidates
  const [first] = top
  if (!winner || !first) throw new Error('a decision has a winner')
  const { asset, rail, region, currency } = transaction
  return {
    anchorId: winner.anchorId,
    slug: winner.slug,
    domain: first.contender.domain,
    amount: formatAmount(transaction.amount),
    asset,
    rail,
    issuer: first.contender.issuer || undefined,
    ...(region === undefined ? {} : { region }),
    ...(currency === undefined ? {} : { currency }),
    score: winner.score,
    scores: winner.scores,
    weights,
    policyId: decision.policyId,
    fee: winner.fee,
    ...limitsOf(first),
    ...externalOf(first),
    candidates,
    eligible,
    rejected: renderRejected(rejected, transaction),
    reasoning: explain({ transaction, weights, eligible, rejected, stale }, candidates),
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    stale,
  }
}

function renderCandidate({ contender, fee, score, scores, within }: Ranked, place: number): Candidate {
  const { anchorId, slug, issuer, unknown } = contender
  return {
    rank: place + 1,
    anchorId,
    slug,
    issuer: issuer || undefined,
    fee: formatAmount(fee),
    score,
    scores,
    withinLimits: within ?? undefined,
    external: unknown ? true : undefined,
    unknown: unknown ? [...unknown] : undefined,
  }
}

const externalOf = ({ contender: { unknown } }: Ranked) =>
  unknown ? { external: true, unknown: [...unknown] } : {}

const limitsOf = ({ contender: { limits }, within }: Ranked) =>
  limits === null || within === null
    ? {}
    : { limits: { min: formatAmount(limits.min), max: formatAmount(limits.max), within } }
