import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface CustomersTables {
  customers: CustomerTable
  customer_files: CustomerFileTable
  customer_file_pieces: FilePieceTable
  kept_customers: KeptCustomerTable
  customer_notes: CustomerNoteTable
  kyc_statuses: KycStatusTable
  identity_digests: IdentityDigestTable
  kyc_sessions: KycSessionTable
  customer_tiers: CustomerTierTable
  customer_search_key: SearchKeyTable
  customer_words: CustomerWordTable
}

export interface CustomerTable {
  id: Generated<string>
  account: string
  memo: string | null
  central_id: string | null
  /** Who passes here by a link to the account that nobody has proven: their limits count, and nothing else of theirs. */
  linked_to: ColumnType<string | null, undefined, string | null>
  /** Sealed; absent where nothing is known. */
  details: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** As an earlier version wrote them; empty once they are sealed. */
  pending_email: ColumnType<string | null, undefined, null>
  fields: ColumnType<Record<string, string>, undefined, string>
  /** Whether `customer_words` has what they are found by. */
  indexed: Generated<boolean>
  created_at: Generated<Date>
}

export interface KeptCustomerTable {
  id: string
  account: string
  memo: string | null
  sealed: Buffer
  /** Those whose money came. */
  transactions: string[]
  deleted_at: Date
}

/** At most one row. */
interface SearchKeyTable {
  only_one: Generated<boolean>
  sealed: Buffer
}

interface CustomerWordTable {
  customer_id: string
  /** HMAC of a word of the name, a beginning of it, or the email. */
  digest: Buffer
}

/** What an operator decided about a person; the newest row counts. */
interface CustomerTierTable {
  id: Generated<string>
  central_id: string
  tier: Tier
  reason: string
  by: string
  at: Generated<Date>
}

export interface CustomerFileTable {
  id: Generated<string>
  /** Null: it waits, or is kept of a customer who was deleted. */
  customer_id: ColumnType<string | null, undefined, string | null>
  kept_id: ColumnType<string | null, undefined, string>
  /** SEP-9's name of the field, such as `photo_id_front`. */
  name: ColumnType<string | null, undefined, string | null>
  media_type: string
  /** In bytes; 0 while they come. */
  size: number
  sealed: ColumnType<Buffer | null, undefined, Buffer | null>
  created_at: Generated<Date>
}
export type CustomerFile = Pick<
  Selectable<CustomerFileTable>,
  'id' | 'media_type' | 'size' | 'created_at'
> & {
  name: string
}

interface FilePieceTable {
  file_id: string
  number: number
  sealed: Buffer
}

interface KycStatusTable {
  central_id: string
  status: KycStatus
  provider: string | null
  session_id: string | null
  completed_at: Date
  updated_at: Generated<Date>
  sealed_name: Generated<Buffer | null>
}

interface IdentityDigestTable {
  central_id: string
  kind: 'document' | 'name'
  digest: string
}

interface KycSessionTable {
  session_id: string
  central_id: string
  url: string
  created_at: Generated<Date>
}

export interface CustomerNoteTable {
  id: Generated<string>
  customer_id: string
  by: string
  text: string
  at: Generated<Date>
}
