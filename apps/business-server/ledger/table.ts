import type { ColumnType, Generated, Selectable } from 'kysely'

export interface LedgerPaymentTable {
  id: Generated<string>
  /** What the payment is for: `deposit:<transfer>` or `refund:<receipt>`; a second one for it cannot be written. */
  cause: string
  transfer_id: string | null
  purpose: 'deposit' | 'refund'
  destination: string
  amount: string
  memo: string | null
  memo_type: string | null
  claimable: boolean
  state: ColumnType<'queued' | 'paid', undefined, 'paid'>
  hash: string | null
  waits_for: string | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  paid_at: Date | null
}
export type LedgerPayment = Selectable<LedgerPaymentTable>

export interface EnvelopeTable {
  hash: string
  payment_id: string
  xdr: string
  source: string
  sequence: string
  max_time: ColumnType<string, number, never>
  ledger_sequence: number
  ledger_hash: string
  ledger_closed_at: ColumnType<Date | null, string | null, never>
  state: ColumnType<'open' | 'applied' | 'dead', undefined, 'applied' | 'dead'>
  why: string | null
  created_at: Generated<Date>
}

export interface ObservedTable {
  account: string
  cursor: string
  caught_up_at: Date | null
}

export interface LedgerReceiptTable {
  id: string
  hash: string
  sender: string
  amount: string
  memo: string | null
  memo_type: string | null
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'ignored'
  why: string
  seen_at: Generated<Date>
}
