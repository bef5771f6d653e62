import type { Generated, Selectable } from 'kysely'
import type { StoredSnapshot } from './snapshot.ts'

export interface RoutingPolicyTable {
  id: Generated<string>
  version: Generated<number>
  name: string
  fee: string
  speed: string
  uptime: string
  liquidity: string
  active: boolean
  created_at: Generated<Date>
  activated_at: Date | null
}
export type RoutingPolicyRow = Selectable<RoutingPolicyTable>

export interface RoutingDecisionTable {
  id: string
  decided_at: Date
  snapshot_id: string
  policy_id: string
  /** Fee, speed, uptime and liquidity in millionths, between commas: a policy edited by hand changes no decision. */
  weights: string
  amount: string
  currency: string | null
  winner: string
  stale: boolean
}

export interface RoutingSnapshotTable extends StoredSnapshot {
  id: string
  taken_at: Date
}
