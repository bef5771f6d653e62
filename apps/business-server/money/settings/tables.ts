import type { AnchorSettings, Fee } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface SettingsTables {
  business_settings: BusinessSettingsTable
  logos: LogoTable
}

interface BusinessSettingsTable {
  version: Generated<string>
  settings: ColumnType<AnchorSettings, string, never>
  by: string
  at: Generated<Date>
}

interface LogoTable {
  /** SHA-256 of the content in hexadecimal digits. */
  id: string
  media_type: 'image/png' | 'image/jpeg'
  content: Buffer
  by: string
  at: Generated<Date>
}

/** The fees of one direction and the limits of one transaction, as they were when it started. */
export interface TransferTerms {
  fee: Fee
  /** Where the fee over a rail differs, by rail. */
  railFees: Readonly<Record<string, Fee>>
  limits: { min: string; max: string }
  /** The anchor's share of the exchange rate, a fraction; absent: none. */
  spread?: string
}
