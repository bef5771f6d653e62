import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { RoutingDecisionRow } from '../tables.ts'
import { rank, type Ranking } from './rank.ts'
import { readWeightNumbers, weightNumbers, type PolicyWeights } from './scores.ts'
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

/** A decision's row, which with its snapshot is the whole of it. */
export function storeDecision(decision: Decision): RoutingDecisionRow {
  const { id, decidedAt, policyId, weights, transaction, snapshot, winner, stale } = decision
  return {
    id,
    decided_at: decidedAt,
    snapshot_id: snapshot.id,
    policy_id: policyId,
    weights: weightNumbers(weights),
    amount: formatAmount(transaction.amount),
    currency: transaction.currency ?? null,
    winner,
    stale,
  }
}

export function loadDecision(row: RoutingDecisionRow, snapshot: Snapshot): Decision {
  return {
    id: row.id,
    decidedAt: row.decided_at,
    policyId: row.policy_id,
    weights: readWeightNumbers(row.weights),
    transaction: {
      ...snapshot.support,
      amount: parseAmount(row.amount),
      ...(row.currency === null ? {} : { currency: row.currency }),
    },
    snapshot,
    winner: row.winner,
    stale: row.stale,
  }
}
