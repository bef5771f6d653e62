import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Generated } from 'kysely'

export interface KycRecordsTable {
  customer_id: string
  status: KycStatus
  provider: string | null
  session_id: string | null
  completed_at: Date
  verified_at: Date | null
  updated_at: Date
}

export interface KycSessionsTable {
  session_id: string
  customer_id: string
  provider: string
  created_at: Date
}

export interface KycDeliveriesTable {
  delivery_key: string
  received_at: Generated<Date>
}
