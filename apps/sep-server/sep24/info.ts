import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { feePercent } from '../transactions/asset.ts'

/** `/info` of SEP-24: one asset, both ways. */
export function sep24Info({ plan }: AnchorConfig) {
  const asset = {
    [plan.asset.code]: {
      enabled: true,
      min_amount: Number(plan.limits.min),
      max_amount: Number(plan.limits.max),
      fee_fixed: Number(plan.fees.fixed),
      fee_percent: feePercent(plan.fees.percentage),
    },
  }
  return {
    deposit: asset,
    withdraw: asset,
    fee: { enabled: false },
    features: { account_creation: false, claimable_balances: true },
  }
}
