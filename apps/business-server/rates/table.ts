import type { Generated } from 'kysely'

export interface FirmRateTable {
  id: Generated<string>
  sell_asset: string
  buy_asset: string
  amount: string
  fee: string
  fiat_amount: string
  currency: string
  client_id: string | null
  expires_at: Date
  transfer_id: string | null
  created_at: Generated<Date>
}
