import type { AnchorOutcome } from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { rankingOf, type Decision } from './decision.ts'
import { placeIn } from './rank.ts'
import { explainRejection } from './rejections.ts'

/** A decision from the view of one anchor: chosen, outscored, or rejected and by which rule. */
export function outcomeFor(anchorId: string, decision: Decision): AnchorOutcome | null {
  const { transaction, snapshot, weights } = decision
  const { top, rejected } = rankingOf(decision)
  const winner = top[0]
  if (!winner) return null
  const common = {
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    amount: formatAmount(transaction.amount),
    asset: transaction.asset,
    rail: transaction.rail,
    region: transaction.region,
    winningScore: winner.score,
  }
  const found = placeIn(snapshot, transaction.amount, weights, anchorId)
  if (found?.rank) {
    const { rank, ranked } = found
    const detail =
      rank === 1 ? 'had the highest weighted sum' : 'was eligible and another had a higher weighted sum'
    const outcome = rank === 1 ? ('chosen' as const) : ('outscored' as const)
    return { ...common, outcome, rank, score: ranked.score, scores: ranked.scores, detail }
  }
  // One that is in the snapshot and not ranked lacks the capacity.
  const rule = found ? 'capacity' : rejected.examples.find(one => one.anchorId === anchorId)?.rule
  if (!rule) return null
  return { ...common, outcome: 'rejected', rule, detail: explainRejection(rule, transaction) }
}
