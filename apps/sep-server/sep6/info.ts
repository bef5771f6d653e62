import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind } from '@windlass/contracts/anchor-rails.ts'
import { feePercent } from '../requests/asset.ts'
import { destinationFields } from '../transactions/sep-form.ts'

/** Limits and fees as in `/info` and the answers to deposits and withdrawals. */
export function terms({ plan }: AnchorConfig) {
  return {
    min_amount: Number(plan.limits.min),
    max_amount: Number(plan.limits.max),
    fee_fixed: Number(plan.fees.fixed),
    fee_percent: feePercent(plan.fees.percentage),
  }
}

/** `/info` of SEP-6. */
export function sep6Info(anchor: AnchorConfig) {
  const { plan } = anchor
  const rails = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  const methods = rails.map(({ method }) => method)
  const common = {
    enabled: true,
    authentication_required: true,
    ...terms(anchor),
    funding_methods: methods,
  }
  const deposit = {
    [plan.asset.code]: {
      ...common,
      fields: { type: { description: 'the rail to pay over', choices: methods, optional: true } },
    },
  }
  const types = Object.fromEntries(rails.map(rail => [rail.method, { fields: destinationFields(rail) }]))
  const withdraw = { [plan.asset.code]: { ...common, types } }
  return {
    deposit,
    'deposit-exchange': deposit,
    withdraw,
    'withdraw-exchange': withdraw,
    fee: { enabled: false, description: 'Fees are part of /info and of quotes (SEP-38).' },
    transactions: { enabled: true, authentication_required: true },
    transaction: { enabled: true, authentication_required: true },
    features: { account_creation: false, claimable_balances: true },
  }
}
