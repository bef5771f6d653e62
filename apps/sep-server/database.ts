import type { FeeDetails } from '@windlass/contracts/anchor-platform.ts'
import type { ColumnType, Generated } from 'kysely'
import type { TransactionTable } from './transactions/transaction.ts'

/** SEP-10 challenges that were exchanged for a token: each is good once. */
export interface UsedChallengeTable {
  hash: Buffer
  expires_at: ColumnType<Date, Date, never>
  account: string | null
  transaction: Buffer | null
}

export interface AppliedCallTable {
  id: string
  result: ColumnType<unknown, string, never>
  applied_at: Generated<Date>
}

export interface QuoteTable {
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

export interface CustomerCallbackTable {
  customer_id: string
  account: string
  account_memo: string | null
  url: string
  last_status: string | null
}

export interface CustomerFileTable {
  id: string
  account: string
  account_memo: string | null
  content_type: string
  size: number
  sealed: Buffer | null
  customer_id: string | null
  expires_at: Date
  created_at: Generated<Date>
}

export interface SepDatabase {
  sep10_used_challenges: UsedChallengeTable
  transactions: TransactionTable
  applied_calls: AppliedCallTable
  quotes: QuoteTable
  customer_callbacks: CustomerCallbackTable
  customer_files: CustomerFileTable
}
