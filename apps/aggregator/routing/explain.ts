import { scores as allScores, type Candidate, type Weights } from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { describeRejected, type RejectedAnchors } from './rejections.ts'
import type { Transaction } from './transaction.ts'

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
export function explain(decision: Explained, candidates: readonly Candidate[]): string {
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

export function describeTransaction({ amount, asset, rail, region, currency }: Transaction): string {
  const where = region ? ` in ${region}` : ' in any region'
  const paid = currency ? `, paid in ${currency}` : ''
  return `${formatAmount(amount)} ${asset} over ${rail}${where}${paid}`
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
