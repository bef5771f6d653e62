import type { ColumnType, Generated, Selectable } from 'kysely'

export interface RailReceiptTable {
  rail: string
  payment_id: string
  reference: string | null
  amount: string
  currency: string
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'unmatched'
  why: string
  seen_at: Generated<Date>
}

export interface RailOrderTable {
  id: Generated<string>
  cause: string
  transfer_id: string | null
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  destination: ColumnType<Record<string, string>, string, never>
  state: ColumnType<'queued' | 'sent' | 'paid' | 'failed', undefined, 'sent' | 'paid' | 'failed'>
  failure: string | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
}
export type RailOrder = Selectable<RailOrderTable>

export interface SimulatedPaymentTable {
  id: string
  rail: string
  direction: 'in' | 'out'
  reference: string
  amount: string
  currency: string
  destination: ColumnType<Record<string, string>, string, never>
  outcome: 'paid' | 'failed'
  reason: string | null
  due_at: Date
  attempts: Generated<number>
  reported_at: Date | null
}
export type SimulatedPayment = Selectable<SimulatedPaymentTable>
