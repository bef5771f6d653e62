import { rank, type Ranking } from './rank.ts'
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

export const rankingOf = ({ snapshot, transaction, weights }: Decision): Ranking =>
  rank(snapshot, transaction.amount, weights)
