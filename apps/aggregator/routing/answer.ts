import {
  scores as allScores,
  type Candidate,
  type EligibilityRule,
  type RouteAnswer,
  type ScoreName,
  type Weights,
} from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { getOrMake } from '../get-or-make.ts'
import { rankingOf, type Decision } from './decision.ts'
import { JsonBytes } from './json-bytes.ts'
import type { Ranked, Ranking } from './rank.ts'
import { describeRejected, explainRejection, type RejectedAnchors } from './rejections.ts'
import { amountScores, formatScore, showFactScores, weightNumbers } from './scores.ts'
import type { Contender } from './snapshot.ts'
import { describeTransaction, type Transaction } from './transaction.ts'

/** No answer is put together while another is. */
const bytes = new JsonBytes()

/**
 * The answer of `POST /route` and of `GET /decisions/:id`, as JSON. The candidates are most of it: they are put together
 * from pieces, many of which were made for an answer before (ADR 0010).
 */
export function writeDecision(decision: Decision, ranking = rankingOf(decision)): Buffer {
  const { top, rejected, eligible } = ranking
  const rest = JSON.stringify(describeDecision(decision, { eligible, rejected }, top))
  bytes.start(rest.slice(0, -1))
  writeCandidates(top)
  writeRejected(rejected, decision.transaction)
  return bytes.take()
}

/** All but the long lists. */
function describeDecision(
  { id, decidedAt, policyId, weights: exactWeights, transaction, stale }: Decision,
  { eligible, rejected }: Pick<Ranking, 'eligible' | 'rejected'>,
  top: readonly Ranked[],
): Omit<RouteAnswer, 'candidates' | 'rejected'> {
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
    limits: limitsOf(winner),
    ...(unknown ? { external: true, unknown: [...unknown] } : {}),
    eligible,
    reasoning: explain({ transaction, weights, eligible, rejected, stale }, top),
    decisionId: id,
    decidedAt: decidedAt.toISOString(),
    stale,
  }
}

const limitsOf = ({ contender: { limits }, within }: Ranked): RouteAnswer['limits'] =>
  limits === null || within === null
    ? undefined
    : { min: formatAmount(limits.min), max: formatAmount(limits.max), within }

const pieces = {
  start: Buffer.from(',"candidates":['),
  rank: Buffer.from('{"rank":'),
  nextRank: Buffer.from(',{"rank":'),
  fee: Buffer.from(',"fee":"'),
  score: Buffer.from('","score":'),
  within: Buffer.from(',"withinLimits":true'),
  outside: Buffer.from(',"withinLimits":false'),
  end: Buffer.from(']'),
}

function writeCandidates(top: readonly Ranked[]): void {
  bytes.piece(pieces.start)
  for (let place = 0; place < top.length; place += 1) {
    const { contender, fee, score, scores, within } = top[place] as Ranked
    bytes.piece(place === 0 ? pieces.rank : pieces.nextRank)
    bytes.whole(place + 1)
    bytes.piece(pieces.fee)
    bytes.amount(fee)
    bytes.piece(pieces.score)
    bytes.score(score)
    if (within !== null) bytes.piece(within ? pieces.within : pieces.outside)
    for (let n = 0; n < amountScores.length; n += 1) {
      bytes.piece(scorePieces[n] as Buffer)
      bytes.score(scores[amountScores[n] as ScoreName])
    }
    bytes.piece((contender.piece ??= pieceOf(contender)))
  }
  bytes.piece(pieces.end)
}

/** What comes before each score that depends on the amount. */
const scorePieces = amountScores.map((name, n) => Buffer.from(`${n === 0 ? ',"scores":{' : ','}"${name}":`))

type Same = Pick<Candidate, 'anchorId' | 'slug' | 'issuer' | 'external' | 'unknown'>

/** What all answers say of a contender, after those scores: in one piece, since what is scattered is rarely in a cache. */
function pieceOf(contender: Contender): Buffer {
  const { anchorId, slug, issuer, unknown } = contender
  const same: Same = { anchorId, slug, issuer: issuer || undefined }
  if (unknown) Object.assign(same, { external: true, unknown })
  const scores = Object.entries(showFactScores(contender.rounded.factScores))
  const others = scores.map(([name, score]) => `,"${name}":${score}`).join('')
  return Buffer.from(`${others}},${JSON.stringify(same).slice(1)}`)
}

function writeRejected({ byRule, examples }: RejectedAnchors, transaction: Transaction): void {
  const details = new Map<EligibilityRule, string>()
  const tailOf = (rule: EligibilityRule): string =>
    getOrMake(details, rule, () =>
      JSON.stringify({ rule, detail: explainRejection(rule, transaction) }).slice(1),
    )
  let written = ''
  for (const { anchorId, rule } of examples) {
    written += `${written === '' ? '' : ','}{"anchorId":${JSON.stringify(anchorId)},${tailOf(rule)}`
  }
  bytes.text(`,"rejected":{"byRule":${JSON.stringify(byRule)},"examples":[${written}]}}`)
}

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
  const { slug, unknown } = contender
  let parts = ''
  for (const { name } of allScores) {
    const cost = name === 'fee' ? ` at ${formatAmount(fee)}` : ''
    parts += `${parts === '' ? '' : ', '}${name} ${formatScore(scores[name])}${cost}`
  }
  const missing = unknown ? describeUnknown(unknown) : ''
  return `${place + 1}. ${slug}: ${formatScore(score)} (${parts})${missing}`
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
