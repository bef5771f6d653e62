import type {
  FeeDetails,
  Instructions,
  Refunds,
  TransactionKind,
  TransactionSep,
  TransactionStatus,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import { fileURLToPath } from 'node:url'

export const migrations = [sharedMigrations, fileURLToPath(new URL('./migrations/', import.meta.url))]

export interface Tables {
  sep10_used_challenges: UsedChallengeTable
  shared_accounts: SharedAccountTable
  customer_callbacks: CustomerCallbackTable
  customer_files: CustomerFileTable
  quotes: QuoteTable
  transactions: TransactionTable
  applied_calls: AppliedCallTable
  federation_names: FederationNameTable
}

/** Whose rows they are: the account, and memo, of a SEP-10 session. */
export interface Owner {
  account: string
  memo: string | null
}

type Json<T> = ColumnType<T, string, string>

// sep10

/** Challenges that were exchanged for a token: each can be used once. */
interface UsedChallengeTable {
  hash: Buffer
  expires_at: ColumnType<Date, Date, never>
  account: string | null
  transaction: Buffer | null
}

/** Accounts (`G…`) that signed in for one of several customers. */
interface SharedAccountTable {
  account: string
  since: Generated<Date>
}

// sep12

interface CustomerCallbackTable {
  customer_id: string
  account: string
  account_memo: string | null
  url: string
  last_status: string | null
}

interface CustomerFileTable {
  id: string
  account: string
  account_memo: string | null
  content_type: string
  size: number
  sealed: Buffer | null
  customer_id: string | null
  /** `G…`; null in files of an earlier release that a muxed account uploaded. */
  base_account: string | null
  /** The network of the client, while the file waits. */
  client: string | null
  expires_at: Date
  created_at: Generated<Date>
}
export type CustomerFile = Selectable<CustomerFileTable>

// sep2

interface FederationNameTable {
  name: string
  account: string
  /** Empty: the account itself. */
  memo: string
  /** The customer signed in with the muxed account (`M…`) of this memo. */
  muxed: boolean
  /** The same for all customers who are one person; null where that is not known. */
  person: string | null
  active: boolean
  created_at: Generated<Date>
}

// sep38

interface QuoteTable {
  id: string
  account: string
  account_memo: string | null
  sell_asset: string
  buy_asset: string
  sell_amount: string
  buy_amount: string
  price: string
  total_price: string
  fee: ColumnType<FeeDetails, string, never>
  sell_delivery_method: string | null
  buy_delivery_method: string | null
  expires_at: Date
  created_at: Generated<Date>
  transaction_id: string | null
}
export type Quote = Selectable<QuoteTable>

// transactions

interface TransactionTable {
  id: Generated<string>
  sep: TransactionSep
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
  /** Sender of a direct payment. */
  customer_id: string | null
  /** Receiver of a direct payment. */
  receiver_id: string | null
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
  /** Encrypted, see `transactions/details.ts`; null where nothing was sent. */
  details: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** As an earlier release wrote them; empty once they are encrypted. */
  fields: ColumnType<Record<string, string>, undefined, string>
  stellar_transaction_id: string | null
  external_transaction_id: string | null
  refunds: Json<Refunds> | null
  message: string | null
  /** Who paid a withdrawal on the ledger. */
  paid_by: string | null
  /** SEP-9 fields that SEP-12 still needs. */
  customer_info_updates: Json<string[]> | null
  callback: string | null
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

// platform-api

/** Calls of the business server that were applied: a repeat gets the same answer. */
interface AppliedCallTable {
  id: string
  result: ColumnType<unknown, string, never>
  applied_at: Generated<Date>
}
