import { keepsLimits, rank, type Ranking } from './rank.ts'
import type { PolicyWeights } from './scores.ts'
import type { Snapshot } from './snapshot.ts'
import type { Transaction } from './transaction.ts'

/** The request, the snapshot and the weights: everything else follows from them. */
export interface Decision {
  id: string
  decidedAt: Date
  policyId: string
  weights: PolicyWeights
  transaction: Transaction
  snapshot: Snapshot
  /** Anchor id of the winner; null: no anchor could serve the route. */
  winner: string | null
  /** Made or stored while the database was away. */
  stale: boolean
}

/** Where nobody could serve the route, anchors that do not take the amount in one transaction fail by their limits. */
export const rankingOf = ({ snapshot, transaction: { amount }, weights, winner }: Decision): Ranking =>
  winner === null
    ? rank(snapshot, amount, weights, each => (keepsLimits(each, amount) ? null : 'limits'))
    : rank(snapshot, amount, weights)
