import type { AnchorOutcome } from '@windlass/contracts/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { termsOf, type Decision } from './decision.ts'
import { explainRejection } from './explain.ts'
import { shownScores } from './score.ts'

/** A decision from the view of one anchor that it names: chosen, outscored, or rejected and by which rule. */
export function outcomeFor(anchorId: string, decision: Decision): AnchorOutcome | null {
  const { transaction, top, others, rejected } = decision
  const winner = top[0]
  if (!winner) return null
  const common = {
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    amount: formatAmount(transaction.amount),
    asset: transaction.asset,
    rail: transaction.rail,
    region: transaction.region,
    winningScore: shownScores(winner, termsOf(decision)).score,
  }
  const place = top.findIndex(contender => contender.anchorId === anchorId)
  const contender = top[place] ?? others.find(other => other.anchorId === anchorId)
  if (contender) {
    const outcome = place === 0 ? ('chosen' as const) : ('outscored' as const)
    return {
      ...common,
      outcome,
      ...(place >= 0 ? { rank: place + 1 } : {}),
      ...shownScores(contender, termsOf(decision)),
      detail:
        place === 0 ? 'had the highest weighted sum' : 'was eligible and another had a higher weighted sum',
    }
  }
  const example = rejected.examples.find(one => one.anchorId === anchorId)
  if (!example) return null
  const detail = explainRejection(example.rule, transaction)
  return { ...common, outcome: 'rejected', rule: example.rule, detail }
}
