import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind, receiverType, SENDER_TYPE } from '@windlass/contracts/anchor-rails.ts'
import { feePercent } from '../requests/asset.ts'

/** `/info` of SEP-31: one asset, received for payouts over the anchor's rails. */
export function sep31Info({ plan }: AnchorConfig) {
  const rails = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  const receivers = rails.map(rail => [
    receiverType(rail, rails),
    { description: `people and companies who are paid in ${rail.currency} over ${rail.label}` },
  ])
  return {
    receive: {
      [plan.asset.code]: {
        enabled: true,
        quotes_supported: true,
        quotes_required: false,
        min_amount: Number(plan.limits.min),
        max_amount: Number(plan.limits.max),
        fee_fixed: Number(plan.fees.fixed),
        fee_percent: feePercent(plan.fees.percentage),
        funding_methods: rails.map(({ method }) => method),
        sep12: {
          sender: { types: { [SENDER_TYPE]: { description: 'people and companies who send money' } } },
          receiver: { types: Object.fromEntries(receivers) },
        },
      },
    },
  }
}
