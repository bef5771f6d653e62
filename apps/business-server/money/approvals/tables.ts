import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface ApprovalsTables {
  operator_actions: OperatorActionTable
}

/** What people did, or what waits for a second one: with a transaction, with a line of a bank statement, or with a payment that came back. */
interface OperatorActionTable {
  id: Generated<string>
  transfer_id: string | null
  line_id: string | null
  order_id: string | null
  kind: TransactionActionKind | LineActionKind
  reason: string
  payment_id: string | null
  /** What was asked for beside the kind. */
  details: ColumnType<Record<string, string>, string, never>
  /** An account that was asked for, encrypted, while it waits. */
  sealed: Buffer | null
  /** What is needed to reverse it. */
  undo: ColumnType<Record<string, unknown> | null, undefined, string | null>
  state: 'waiting' | 'done' | 'rejected'
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
  /** Whether it needs two people. */
  two_people: boolean
}
export type StoredAction = Selectable<OperatorActionTable>

type TransactionActionKind = 'cancel' | 'refund' | 'resend' | 'mark-paid' | 'pay-again' | 'write-off'
export type LineActionKind = 'match' | 'return' | 'own' | 'duplicate' | 'reverse'
