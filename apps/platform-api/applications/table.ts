import type {
  ApplicationStatus,
  Compliance,
  CompanyProfile,
  StellarConfig,
} from '@windlass/contracts/applications.ts'
import type { ColumnType } from 'kysely'

type Json<T> = ColumnType<T, string, string>

/** Payment rails as they are kept: checked, without credentials, amounts as exact decimal strings. */
export interface KeptPaymentRails {
  rails?: string[]
  fee?: { fixed?: string; percentage?: string }
  limits?: { min?: string; max?: string }
  settlement?: 'instant' | 'under_60_minutes'
}

export interface ApplicationsTable {
  id: string
  status: ApplicationStatus
  company_profile: Json<CompanyProfile>
  stellar_config: Json<StellarConfig>
  payment_rails: Json<KeptPaymentRails>
  compliance: Json<Compliance>
  credentials: string | null
  created_at: Date
  reviewed_at: Date | null
  reviewed_by: string | null
  reason: string | null
}
