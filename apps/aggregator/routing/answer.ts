import {
  scores as allScores,
  type Candidate,
  type RouteAnswer,
  type Weights,
} from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { getOrMake } from '../get-or-make.ts'
import { rankingOf, type Decision } from './decision.ts'
import type { Ranked } from './rank.ts'
import { describeRejected, renderRejected, type RejectedAnchors } from './rejections.ts'
import { weightNumbers } from './scores.ts'
import { describeTransaction, type Transaction } from './transaction.ts'

/** The answer of `POST /route` and of `GET /decisions/:id`. */
export function describeDecision(decision: Decision, ranking = rankingOf(decision)): RouteAnswer {
  const { id, decidedAt, policyId, weights: exactWeights, transaction, stale } = decision
  const { top, rejected, eligible } = ranking
  const [winner] = top
  if (!winner) throw new Error('a decision has a winner')
  const { anchorId, slug, domain, issuer, unknown } = winner.contender
  const { amount, asset, rail, region, currency } = transaction
  const weights = weightNumbers(exactWeights)
  return {
    anchorId,
    slug,
    domain,
    amount: formatAmount(amount),
    asset,
    rail,
    issuer: issuer || undefined,
    region,
    currency,
    score: winner.score,
    scores: winner.scores,
    weights,
    policyId,
    fee: formatAmount(winner.fee),
    ...describeSpread(winner.contender),
    limits: limitsOf(winner),
    ...describeExternal(unknown),
    eligible,
    reasoning: explain({ transaction, weights, eligible, rejected, stale }, top),
    decisionId: id,
    decidedAt: decidedAt.toISOString(),
    stale,
    candidates: top.map(describeRanked),
    rejected: renderRejected(rejected, transaction),
  }
}

const limitsOf = ({ contender: { limits }, within }: Ranked): RouteAnswer['limits'] =>
  limits === null || within === null
    ? undefined
    : { min: formatAmount(limits.min), max: formatAmount(limits.max), within }

const describeExternal = (unknown: readonly string[] | null): Pick<Candidate, 'external' | 'unknown'> =>
  unknown ? { external: true, unknown: [...unknown] } : {}

const describeSpread = ({ spread }: Ranked['contender']): { spread?: string } =>
  spread ? { spread: formatRate(spread) } : {}

const describeRanked = (
  { anchorId, contender, fee, score, scores, within }: Ranked,
  place: number,
): Candidate => ({
  rank: place + 1,
  anchorId,
  slug: contender.slug,
  issuer: contender.issuer || undefined,
  fee: formatAmount(fee),
  ...describeSpread(contender),
  score,
  scores,
  withinLimits: within ?? undefined,
  ...describeExternal(contender.unknown),
})

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
function explain(decision: Explained, top: readonly Ranked[]): string {
  const [winner, second] = top
  const { weights } = decision
  const lines = [
    `Asked for ${describeTransaction(decision.transaction)}.`,
    `${count(decision.eligible, 'anchor is', 'anchors are')} eligible${describeRejected(decision.rejected)}.`,
    getOrMake(formulas, weights, describeWeights),
    ...top.slice(0, EXPLAINED).map(describeCandidate),
  ]
  if (winner)
    lines.push(`Chosen: ${winner.contender.slug} (${winner.anchorId}), ${reasonToWin(winner, second)}.`)
  if (winner?.within === false) {
    lines.push('The amount is outside its limits: it refuses to start the transaction.')
  }
  if (decision.stale)
    lines.push('The database was out of reach; this was decided from what was last known of the anchors.')
  return lines.join('\n')
}

const formulas = new WeakMap<Weights, string>()

const describeWeights = (weights: Weights): string =>
  `Score = ${allScores.map(({ name }) => `${weights[name]} × ${name}`).join(' + ')}, each from 0 to 100.`

function describeCandidate({ contender, score, scores, fee }: Ranked, place: number): string {
  const { slug, unknown, spread } = contender
  let parts = ''
  const share = spread ? ` and ${formatRate(spread)} of the exchange rate` : ''
  for (const { name } of allScores) {
    const cost = name === 'fee' ? ` at ${formatAmount(fee)}${share}` : ''
    parts += `${parts === '' ? '' : ', '}${name} ${scores[name]}${cost}`
  }
  const missing = unknown ? describeUnknown(unknown) : ''
  return `${place + 1}. ${slug}: ${score} (${parts})${missing}`
}

/** How what is not known of an external anchor counts. */
const counted: Readonly<Record<string, string>> = {
  capacity: 'capacity, counted as the amount',
  settlement: 'settlement time, which scores 0',
  fees: 'fee, counted as the whole amount',
}

const describeUnknown = (unknown: readonly string[]): string =>
  `; external anchor, unknown: ${unknown.map(what => counted[what] ?? what).join('; ')}`

function reasonToWin(winner: Ranked, second: Ranked | undefined): string {
  if (!second) return 'the only eligible anchor'
  if (winner.score !== second.score) return 'the highest weighted sum'
  if (winner.within !== second.within) return 'level on the weighted sum, the limits decide'
  if (winner.scores.fee !== second.scores.fee) return 'level on the weighted sum, the lower fee decides'
  if (winner.scores.uptime !== second.scores.uptime)
    return 'level on the weighted sum, the better uptime decides'
  return 'level in everything shown, the exact sum and then the anchor id decide'
}

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`
