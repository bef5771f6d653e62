import type { Quote } from '@windlass/contracts/aggregator/quotes.ts'
import { shortest } from '@windlass/money/trim-zeros.ts'
import type { QuoteRow } from '../tables.ts'

/** A quote as it is answered, from what was stored or is about to be. */
export function render(row: QuoteRow, now: Date): Quote {
  const amount = shortest(row.amount)
  return {
    id: row.id,
    anchorId: row.anchor_id,
    amount,
    currency: row.currency,
    asset: row.asset,
    issuer: row.issuer ?? undefined,
    rail: row.rail,
    region: row.region ?? undefined,
    fxRate: shortest(row.fx_rate),
    fee: {
      fixed: shortest(row.fee_fixed),
      percentage: shortest(row.fee_percentage),
      variable: shortest(row.fee_variable),
      total: shortest(row.fee_total),
    },
    sellAmount: shortest(row.sell_amount),
    buyAmount: amount,
    firm: row.firm,
    status: hasExpired(row, now) ? 'expired' : 'open',
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    reasoning: row.reasoning,
  }
}

export const hasExpired = (row: QuoteRow, now: Date): boolean => row.expires_at.getTime() <= now.getTime()
