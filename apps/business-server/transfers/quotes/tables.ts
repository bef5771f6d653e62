import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { ExchangeTerms } from '@windlass/contracts/anchor/journal.ts'
import type { ColumnType, Generated } from 'kysely'
import type { TransferTerms } from '../../money/settings/tables.ts'

/** The tables that this slice owns. */
export interface QuotesTables {
  firm_rates: FirmRateTable
  firm_rate_totals: FirmRateTotalTable
}

/** What firm rates hold together that expire at one moment; triggers of `firm_rates` write it. */
export interface FirmRateTotalTable {
  holder: string
  expires_at: Date
  /** Empty: the first asset. */
  asset: string
  quotes: string
  amount: string
}

export interface FirmRateTable {
  id: Generated<string>
  sell_asset: string
  buy_asset: string
  /** The one of both that is on the ledger. */
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  amount: string
  fee: string
  fiat_amount: string
  currency: string
  /** Null in quotes of version 0.1. */
  rate: string | null
  exchange: ColumnType<ExchangeTerms | null, ExchangeTerms | null | undefined, never>
  client_id: string | null
  client_memo: string | null
  client_domain: string | null
  /** The person's id at the platform, or the account and its memo. Null: it had expired when this was first kept. */
  person: ColumnType<string | null, string, never>
  /** Whether their identity check was accepted. */
  is_verified: boolean
  /** Whether capacity is reserved for it. */
  reserved: Generated<boolean>
  expires_at: Date
  transfer_id: string | null
  terms: ColumnType<TransferTerms | null, string | null | undefined, never>
  /** Present in a quote for one delivery method. */
  rail: ColumnType<string | null, string | null | undefined, never>
  /** Proves that this server quoted what it says. */
  bound: ColumnType<Buffer | null, Buffer, never>
  created_at: Generated<Date>
}
