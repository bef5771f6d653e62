import type {
  FeeDetails,
  Instructions,
  Refunds,
  TransactionKind,
  TransactionStatus,
} from '@windlass/contracts/anchor-platform.ts'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'

type Json<T> = ColumnType<T, string, string>

export interface TransactionTable {
  id: Generated<string>
  sep: '6' | '24'
  kind: TransactionKind
  status: TransactionStatus
  account: string
  account_memo: string | null
  client_domain: string | null
  client_name: string | null
  lang: string | null
  type: string | null
  stellar_account: string | null
  memo: string | null
  memo_type: string | null
  refund_memo: string | null
  refund_memo_type: string | null
  claimable_balance_supported: Generated<boolean>
  claimable_balance_id: string | null
  customer_id: string | null
  kyc_verified: Generated<boolean>
  amount_expected: string | null
  source_asset: string | null
  destination_asset: string | null
  quote_id: string | null
  amount_in: string | null
  amount_in_asset: string | null
  amount_out: string | null
  amount_out_asset: string | null
  fee_details: Json<FeeDetails> | null
  withdraw_anchor_account: string | null
  withdraw_memo: string | null
  withdraw_memo_type: string | null
  instructions: Json<Instructions> | null
  fields: ColumnType<Record<string, string>, string | undefined, string>
  stellar_transaction_id: string | null
  external_transaction_id: string | null
  refunds: Json<Refunds> | null
  message: string | null
  on_change_callback: string | null
  started_at: Generated<Date>
  updated_at: Generated<Date>
  user_action_required_by: Date | null
  transfer_received_at: Date | null
  completed_at: Date | null
}

export type Transaction = Selectable<TransactionTable>
export type NewTransaction = Insertable<TransactionTable>
export type TransactionChange = Updateable<TransactionTable>
