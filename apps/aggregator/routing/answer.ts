import {
  scores as allScores,
  type Candidate,
  type RouteAnswer,
  type Weights,
} from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { rankingOf, type Decision } from './decision.ts'
import type { Ranked } from './rank.ts'
import { describeRejected, renderRejected, type RejectedAnchors } from './rejections.ts'
import { weightNumbers } from './scores.ts'
import { describeTransaction, type Transaction } from './transaction.ts'

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

/** How many ranked candidates the text goes through; the answer lists more. */
const EXPLAINED = 3

interface Explained {
  transaction: Transaction
  weights: Weights
  eligible: number
  rejected: RejectedAnchors
  stale: boolean
}

/** Why the winner won, in plain text: the request, the filter, the scores with their weights, the runners-up. */
function explain(decision: Explained, candidates: readonly Candidate[]): string {
  const [winner, second] = candidates
  const { weights } = decision
  const lines = [
    `Asked for ${describeTransaction(decision.transaction)}.`,
    `${count(decision.eligible, 'anchor is', 'anchors are')} eligible${describeRejected(decision.rejected)}.`,
    `Score = ${allScores.map(({ name }) => `${weights[name]} × ${name}`).join(' + ')}, each from 0 to 100.`,
    ...candidates.slice(0, EXPLAINED).map(describeCandidate),
  ]
  if (winner) lines.push(`Chosen: ${winner.slug} (${winner.anchorId}), ${reasonToWin(winner, second)}.`)
  if (winner?.withinLimits === false) {
    lines.push('The amount is outside its limits: it refuses to start the transaction.')
  }
  if (decision.stale)
    lines.push('The database was out of reach; this was decided from what was last known of the anchors.')
  return lines.join('\n')
}

function describeCandidate({ slug, score, scores, fee, unknown }: Candidate, place: number): string {
  const parts = allScores.map(({ name }) => `${name} ${scores[name]}${name === 'fee' ? ` at ${fee}` : ''}`)
  return `${place + 1}. ${slug}: ${score} (${parts.join(', ')})${unknown ? describeUnknown(unknown) : ''}`
}

/** How what is not known of an external anchor counts. */
const counted: Readonly<Record<string, string>> = {
  capacity: 'capacity, counted as the amount',
  settlement: 'settlement time, which scores 0',
  fees: 'fee, counted as the whole amount',
}

const describeUnknown = (unknown: readonly string[]): string =>
  `; external anchor, unknown: ${unknown.map(what => counted[what] ?? what).join('; ')}`

function reasonToWin(winner: Candidate, second: Candidate | undefined): string {
  if (!second) return 'the only eligible anchor'
  if (winner.score !== second.score) return 'the highest weighted sum'
  if (winner.withinLimits !== second.withinLimits) return 'level on the weighted sum, the limits decide'
  if (winner.scores.fee !== second.scores.fee) return 'level on the weighted sum, the lower fee decides'
  if (winner.scores.uptime !== second.scores.uptime)
    return 'level on the weighted sum, the better uptime decides'
  return 'level in everything shown, the exact sum and then the anchor id decide'
}

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`
