import type { RegistryStatus, Settlement } from '@windlass/contracts/registry.ts'
import type { JSONColumnType, Selectable } from 'kysely'

export interface AssetRow {
  code: string
  issuer: string
  anchoredTo: string
}

export interface AnchorTable {
  id: string
  slug: string
  name: string
  domain: string
  api_url: string
  status: RegistryStatus
  regions: string[]
  assets: JSONColumnType<AssetRow[]>
  rails: string[]
  limit_min: string
  limit_max: string
  fee_fixed: string
  fee_percentage: string
  settlement: Settlement
  signing_key: string | null
  /** Sealed. */
  summary_secret: Buffer | null
  treasury_capacity: string
  current_availability: boolean
  domain_verified: boolean
  domain_checked_at: Date | null
  last_checked_at: Date | null
  created_at: Date
  updated_at: Date
}
export type AnchorRow = Selectable<AnchorTable>
