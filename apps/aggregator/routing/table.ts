import type { Generated, Selectable } from 'kysely'

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
  policy_id: string
  winner: string
  record: string
}
