import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

export interface CustomerTable {
  id: Generated<string>
  account: string
  memo: string | null
  central_id: string | null
  /** Sealed; absent where nothing is known. */
  details: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** As an earlier version wrote them; empty once they are sealed. */
  pending_email: ColumnType<string | null, undefined, null>
  fields: ColumnType<Record<string, string>, undefined, string>
  created_at: Generated<Date>
}

/** What a customer told of themselves. */
export interface Details {
  /** SEP-9's names to values. */
  fields: Readonly<Record<string, string>>
  /** Standing between e-mail and code: the address that a code was sent to. */
  pendingEmail: string | null
}

/** An account, and a memo where one account is many people's, with its details opened. */
export interface Customer extends Details {
  id: string
  account: string
  memo: string | null
  central_id: string | null
  created_at: Date
}

export interface CustomerFileTable {
  customer_id: string
  /** SEP-9's name of the field, such as `photo_id_front`. */
  name: string
  media_type: string
  size: number
  sealed: Buffer
  created_at: Generated<Date>
}
export type CustomerFile = Omit<Selectable<CustomerFileTable>, 'sealed'>

export interface KycStatusTable {
  central_id: string
  status: KycStatus
  provider: string | null
  session_id: string | null
  completed_at: Date
  updated_at: Generated<Date>
}

export interface KycSessionTable {
  session_id: string
  central_id: string
  url: string
  created_at: Generated<Date>
}

export interface KycDeliveryTable {
  delivery_key: string
  received_at: Generated<Date>
}
