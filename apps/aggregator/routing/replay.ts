import type { Replay } from '@windlass/contracts/routing.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../database.ts'
import { termsOf, type Decision } from './decision.ts'
import { latestDecisions, type DecisionRange } from './queries.ts'
import { compareStandings, shownScores, shownWeights, type Contender, type PolicyWeights } from './score.ts'

const EXAMPLES = 20

/**
 * Scores past decisions anew under other weights. Each decision keeps everyone who could win it under any weights, so
 * the new winners are exact.
 */
export async function replay(
  db: Kysely<Tables>,
  weights: PolicyWeights,
  range: DecisionRange,
): Promise<Replay> {
  const decisions = await latestDecisions(db, range)
  const shares = new Map<string, { before: number; after: number }>()
  const share = (id: string) => shares.get(id) ?? shares.set(id, { before: 0, after: 0 }).get(id)
  const examples: Replay['examples'] = []
  let changed = 0
  for (const decision of decisions) {
    const before = decision.top[0] as Contender
    const after = winnerUnder(decision, weights)
    tally(share(before.anchorId), 'before')
    tally(share(after.anchorId), 'after')
    if (before.anchorId === after.anchorId) continue
    changed += 1
    if (examples.length < EXAMPLES) examples.push(exampleOf(decision, before, after, weights))
  }
  return {
    weights: shownWeights(weights),
    decisions: decisions.length,
    changed,
    shares: [...shares]
      .map(([anchorId, { before, after }]) => ({ anchorId, before, after }))
      .sort((a, b) => b.after - a.after || b.before - a.before || (a.anchorId < b.anchorId ? -1 : 1)),
    examples,
  }
}

export function winnerUnder(decision: Decision, weights: PolicyWeights): Contender {
  const terms = termsOf(decision, weights)
  return [...decision.top, ...decision.others].reduce((best, next) => {
    const order = compareStandings(next, best, terms) || (next.anchorId < best.anchorId ? -1 : 1)
    return order < 0 ? next : best
  })
}

function tally(share: { before: number; after: number } | undefined, which: 'before' | 'after'): void {
  if (share) share[which] += 1
}

function exampleOf(decision: Decision, before: Contender, after: Contender, weights: PolicyWeights) {
  return {
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    before: before.anchorId,
    after: after.anchorId,
    beforeScore: shownScores(before, termsOf(decision, weights)).score,
    afterScore: shownScores(after, termsOf(decision, weights)).score,
  }
}
