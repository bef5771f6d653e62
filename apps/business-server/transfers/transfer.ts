import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { TransferState } from './status.ts'

export interface TransferTable {
  id: string
  sep: '6' | '24'
  direction: 'deposit' | 'withdrawal'
  state: TransferState
  account: string
  account_memo: string | null
  customer_id: string | null
  stellar_account: string
  memo: string | null
  memo_type: string | null
  refund_memo: string | null
  refund_memo_type: string | null
  claimable: boolean
  client_domain: string | null
  lang: string | null
  rail: string
  currency: string
  amount: string | null
  fee: string | null
  fiat_amount: string | null
  rate: string | null
  quote_id: string | null
  reference: string | null
  ledger_memo: string | null
  destination: ColumnType<Record<string, string>, string | undefined, string>
  ledger_hash: string | null
  claimable_balance_id: string | null
  rail_payment_id: string | null
  message: string | null
  callback: string | null
  expires_at: Date | null
  next_try_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type Transfer = Selectable<TransferTable>
export type NewTransfer = Insertable<TransferTable>
export type TransferChange = Updateable<TransferTable>

export interface TransferStepTable {
  id: Generated<string>
  transfer_id: string
  from_state: TransferState
  to_state: TransferState
  why: string
  at: Generated<Date>
}

export interface PlatformCallTable {
  id: Generated<string>
  transfer_id: string | null
  method: string
  params: ColumnType<Record<string, unknown>, string, never>
  created_at: Generated<Date>
  delivered_at: Date | null
  refused: string | null
}
