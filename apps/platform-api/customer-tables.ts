import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { ColumnType, Generated } from 'kysely'

export interface EmailLanguagesTable {
  /** In lower case. */
  address: string
  language: EmailLanguage
  /** Whether the person chose it; false: their browser prefers it. */
  chosen: boolean
}

export interface CustomersTable {
  id: string
  email: string
  created_at: Date
}

export interface WalletsTable {
  id: string
  customer_id: string
  address: string
  label: string
  network: string
  verified_at: Date | null
  proven_at_anchor: Generated<string | null>
  created_at: Date
}

export interface WalletRemovalsTable {
  token_hash: Buffer
  customer_id: string
  account: string
  memo: string
  expires_at: Date
}

export interface LoginProofsTable {
  transaction_hash: Buffer
  wallet_id: string | null
  anchor_id: string
  used_at: Date
}

export interface WalletChallengesTable {
  wallet_id: string
  transaction_hash: Buffer
  expires_at: Date
}

/** Wallets that logged in at an anchor. */
export interface AnchorLoginsTable {
  anchor_id: string
  address: string
  first_at: Generated<Date>
}

/** Customers that came to an anchor. */
export interface AnchorAccountsTable {
  id: string
  customer_id: string
  anchor_id: string
  account: string
  /** Empty: none. */
  memo: string
  status: 'waiting' | 'confirmed' | 'removed'
  proven: boolean
  created_at: Date
  changed_at: Date
}

export interface AnchorVisitsTable {
  anchor_id: string
  customer_id: string
  first_at: Generated<Date>
  /** Since then the anchor sees nothing of the customer. */
  withdrawn_at: Generated<Date | null>
}

/** What a customer moved at an anchor. */
export interface CustomerMovementsTable {
  id: Generated<string>
  anchor_id: string
  customer_id: string
  reference: string
  direction: 'deposit' | 'withdrawal'
  currency: string
  amount: string
  at: Date
}

export interface KycRecordsTable {
  customer_id: string
  status: KycStatus
  provider: string | null
  session_id: string | null
  completed_at: Date
  verified_at: Date | null
  updated_at: Date
  sealed_name: Generated<Buffer | null>
  name_due_at: Generated<Date | null>
  identity_due_at: Generated<Date | null>
}

/** At most one row. */
export interface IdentityKeyTable {
  only_one: Generated<boolean>
  sealed: Buffer
}

export interface IdentityDigestsTable {
  customer_id: string
  /** The provider's session; '': an earlier release kept it. */
  session_id: Generated<string>
  kind: 'document' | 'name'
  digest: Buffer
}

export interface KycSessionsTable {
  session_id: string
  anchor_id: string | null
  customer_id: string
  provider: string
  created_at: Date
  /** What the provider said last of it, and when it decided; null: nothing yet. */
  status: Generated<KycStatus | null>
  completed_at: Generated<Date | null>
}

export interface KycDeliveriesTable {
  delivery_key: string
  received_at: Generated<Date>
}

export interface CustomerEmailsTable {
  id: string
  anchor_id: string
  account: string
  memo: string | null
  template: string
  language: EmailLanguage
  sealed_address: Buffer | null
  customer_id: string | null
  at: Date
  delivered_at: ColumnType<Date | null, undefined, Date>
}
