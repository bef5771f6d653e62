import type { Replay } from '@windlass/contracts/aggregator/routing.ts'
import type { Kysely } from 'kysely'
import { setImmediate as turn } from 'node:timers/promises'
import { getOrMake } from '../get-or-make.ts'
import type { Tables } from '../tables.ts'
import type { Decision } from './decision.ts'
import { latestDecisions, type DecisionRange } from './stored-decisions.ts'
import { placeIn, rank, type Ranked } from './rank.ts'
import { weightNumbers, type PolicyWeights } from './scores.ts'

const EXAMPLES = 20

/** Ranks past decisions again under other weights, each on its own snapshot: the new winners are exact. */
export async function replay(
  db: Kysely<Tables>,
  weights: PolicyWeights,
  range: DecisionRange,
): Promise<Replay> {
  const shares = new Map<string, { before: number; after: number }>()
  const shareOf = (anchorId: string) => getOrMake(shares, anchorId, () => ({ before: 0, after: 0 }))
  const examples: Replay['examples'] = []
  let decisions = 0
  let changed = 0
  for await (const decision of latestDecisions(db, range)) {
    const replayed = underBoth(decision, weights)
    if (!replayed) continue
    const { before, after } = replayed
    decisions += 1
    shareOf(before.anchorId).before += 1
    shareOf(after.anchorId).after += 1
    if (before.anchorId !== after.anchorId) {
      changed += 1
      if (examples.length < EXAMPLES) examples.push(exampleOf(decision, replayed))
    }
    // Lets other requests be routed meanwhile.
    if (decisions % 20 === 0) await turn()
  }
  return {
    weights: weightNumbers(weights),
    decisions,
    changed,
    shares: [...shares]
      .map(([anchorId, { before, after }]) => ({ anchorId, before, after }))
      .sort((a, b) => b.after - a.after || b.before - a.before || (a.anchorId < b.anchorId ? -1 : 1)),
    examples,
  }
}

interface Replayed {
  before: Ranked
  after: Ranked
  beforeScore: number
  afterScore: number
}

/** The winner, the winner under other weights, and the scores of both under these. */
export function underBoth(
  { snapshot, transaction, weights: own }: Decision,
  weights: PolicyWeights,
): Replayed | null {
  const [before] = rank(snapshot, transaction.amount, own).top
  const [after] = rank(snapshot, transaction.amount, weights).top
  if (!before || !after) return null
  const beforeNow = placeIn(snapshot, transaction.amount, weights, before.anchorId)
  return { before, after, beforeScore: beforeNow?.ranked.score ?? 0, afterScore: after.score }
}

function exampleOf(decision: Decision, { before, after, beforeScore, afterScore }: Replayed) {
  return {
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    before: before.anchorId,
    after: after.anchorId,
    beforeScore,
    afterScore,
  }
}
