import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { rank, type Ranking } from './rank.ts'
import type { PolicyWeights } from './score.ts'
import type { Snapshot } from './snapshot.ts'
import type { RoutingDecisionTable } from './table.ts'
import type { Transaction } from './transaction.ts'

/** What was asked, on which snapshot it was decided and under which weights: all else follows. */
export interface Decision {
  id: string
  decidedAt: Date
  policyId: string
  weights: PolicyWeights
  transaction: Transaction
  snapshot: Snapshot
  /** Whose anchor id: for whoever asks no more. */
  winner: string
  /** Made or kept while the database was out of reach. */
  stale: boolean
}

export const rankingOf = ({ snapshot, transaction, weights }: Decision): Ranking =>
  rank(snapshot, transaction.amount, weights)

/** A decision's row, which with its snapshot is the whole of it. */
export function storeDecision(decision: Decision): RoutingDecisionTable {
  const { id, decidedAt, policyId, weights, transaction, snapshot, winner, stale } = decision
  return {
    id,
    decided_at: decidedAt,
    snapshot_id: snapshot.id,
    policy_id: policyId,
    weights: `${weights.fee},${weights.speed},${weights.uptime},${weights.liquidity}`,
    amount: formatAmount(transaction.amount),
    currency: transaction.currency ?? null,
    winner,
    stale,
  }
}

export function loadDecision(row: RoutingDecisionTable, snapshot: Snapshot): Decision {
  const [fee = '', speed = '', uptime = '', liquidity = ''] = row.weights.split(',')
  return {
    id: row.id,
    decidedAt: row.decided_at,
    policyId: row.policy_id,
    weights: { fee: BigInt(fee), speed: BigInt(speed), uptime: BigInt(uptime), liquidity: BigInt(liquidity) },
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
