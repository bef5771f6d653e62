import type { Selectable } from 'kysely'

export interface QuoteTable {
  id: string
  anchor_id: string
  amount: string
  currency: string
  asset: string
  /** Null in quotes from before it was kept. */
  issuer: string | null
  rail: string
  region: string | null
  fx_rate: string
  fee_fixed: string
  fee_percentage: string
  fee_variable: string
  fee_total: string
  sell_amount: string
  firm: boolean
  reasoning: string
  created_at: Date
  expires_at: Date
}
export type QuoteRow = Selectable<QuoteTable>
