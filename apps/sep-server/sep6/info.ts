import { servedAssets, servesXlm, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import type { AnchorSettings, Direction } from '@windlass/contracts/anchor/anchor-settings.ts'
import { commonFee, isOpen, openRails, type CurrentTerms } from '../clients/terms.ts'
import { byCode, feePercent } from '../requests/asset.ts'
import { destinationFields } from '../transactions/sep-form.ts'

/** Limits and fees as in `/info` and the answers to deposits and withdrawals. */
export function terms(anchor: AnchorConfig, settings: AnchorSettings, direction: Direction) {
  const fee = commonFee(anchor, settings, direction)
  return {
    min_amount: Number(settings.limits.min),
    max_amount: Number(settings.limits.max),
    ...(fee ? { fee_fixed: Number(fee.fixed), fee_percent: feePercent(fee.percentage) } : {}),
  }
}

/** `/info` of SEP-6. */
export function sep6Info(anchor: AnchorConfig, settings: CurrentTerms) {
  const common = (direction: Direction, asset: ServedAsset) => ({
    enabled: isOpen(anchor, settings, direction, asset),
    authentication_required: true,
    ...terms(anchor, settings, direction),
    funding_methods: openRails(anchor, settings, direction, asset).map(({ method }) => method),
  })
  const deposit = byCode(servedAssets(anchor), asset => {
    const paidIn = common('deposit', asset)
    const type = { description: 'the rail to pay over', choices: paidIn.funding_methods, optional: true }
    return { ...paidIn, fields: { type } }
  })
  const withdraw = byCode(servedAssets(anchor), asset => {
    const open = openRails(anchor, settings, 'withdrawal', asset)
    const types = Object.fromEntries(open.map(rail => [rail.method, { fields: destinationFields(rail) }]))
    return { ...common('withdrawal', asset), types }
  })
  return {
    deposit,
    'deposit-exchange': deposit,
    withdraw,
    'withdraw-exchange': withdraw,
    fee: { enabled: false, description: 'Fees are part of /info and of quotes (SEP-38).' },
    transactions: { enabled: true, authentication_required: true },
    transaction: { enabled: true, authentication_required: true },
    features: { account_creation: servesXlm(anchor), claimable_balances: true },
  }
}
