import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

export interface CustomerTable {
  id: Generated<string>
  account: string
  memo: string | null
  central_id: string | null
  pending_email: string | null
  fields: ColumnType<Record<string, string>, string | undefined, string>
  created_at: Generated<Date>
}
export type Customer = Selectable<CustomerTable>

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
