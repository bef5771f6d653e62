import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { parseRate, type Rate } from '@windlass/money/rate.ts'

/** Currency units for one US dollar, by ISO 4217 code, as FX_RATE_<code>_USDC gives them. */
export type FxRates = Readonly<Record<string, string>>

/** Currency units for one unit of the anchor's asset, through what it is anchored to; null: there is no rate. */
export function exchangeRate(fx: FxRates, anchoredTo: string, currency: string): Rate | null {
  if (anchoredTo === currency) return parseRate('1')
  const dollar = anchoredTo === 'USD' || anchoredTo === 'USDC'
  const rate = dollar ? fx[currency] : undefined
  return rate === undefined ? null : parseRate(rate)
}

export const feeSchedule = ({ fees }: AnchorPlan): FeeSchedule => ({
  fixed: parseAmount(fees.fixed),
  percentage: parseRate(fees.percentage),
})
