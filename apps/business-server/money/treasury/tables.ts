import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface TreasuryTables {
  reservations: ReservationTable
  treasury_settings: TreasurySettingsTable
  further_assets: { asset: string }
}

/** Asset units that are promised and not paid yet: open firm quotes and deposits under way. */
interface ReservationTable {
  /** A quote's or a transaction's id. */
  id: string
  asset: ColumnType<AssetKey, AssetKey | undefined, AssetKey>
  amount: string
  expires_at: Date | null
}

/** What the operator wants of the treasury; the newest row counts. */
export interface TreasurySettingsTable {
  version: Generated<string>
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  low: string
  ceiling: string | null
  cold_account: string | null
  xlm_low: string
  by: string
  at: Generated<Date>
}
