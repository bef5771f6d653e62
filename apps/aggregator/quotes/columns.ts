import type { QuoteRow } from '../tables.ts'

/** Those of a quote's row that its insertion sets. */
export const columns = [
  'id',
  'anchor_id',
  'amount',
  'currency',
  'asset',
  'issuer',
  'rail',
  'region',
  'fx_rate',
  'fee_fixed',
  'fee_percentage',
  'fee_variable',
  'fee_total',
  'sell_amount',
  'firm',
  'client',
  'reasoning',
  'created_at',
  'expires_at',
] as const satisfies (keyof QuoteRow)[]
