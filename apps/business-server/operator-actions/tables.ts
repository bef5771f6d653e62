import type { ActionKind } from '@windlass/contracts/operator-actions.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface OperatorActionsTables {
  operator_actions: OperatorActionTable
}

export interface OperatorActionTable {
  id: Generated<string>
  transfer_id: string
  kind: ActionKind
  reason: string
  payment_id: string | null
  state: 'waiting' | 'done' | 'rejected'
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
  /** Whether the amount needs two people. */
  two_people: boolean
}
