import { servedAssets } from '@windlass/contracts/served-assets.ts'
import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import type { AnchorSettings, Direction } from '@windlass/contracts/anchor-settings.ts'
import { commonFee, isOpen, openRails } from '../clients/terms.ts'
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
export function sep6Info(anchor: AnchorConfig, settings: AnchorSettings) {
  const common = (direction: Direction) => ({
    enabled: isOpen(anchor, settings, direction),
    authentication_required: true,
    ...terms(anchor, settings, direction),
    funding_methods: openRails(anchor, settings, direction).map(({ method }) => method),
  })
  const paidIn = common('deposit')
  const choices = paidIn.funding_methods
  const type = { description: 'the rail to pay over', choices, optional: true }
  const deposit = byCode(servedAssets(anchor), () => ({ ...paidIn, fields: { type } }))
  const types = Object.fromEntries(
    openRails(anchor, settings, 'withdrawal').map(rail => [rail.method, { fields: destinationFields(rail) }]),
  )
  const paidOut = common('withdrawal')
  const withdraw = byCode(servedAssets(anchor), () => ({ ...paidOut, types }))
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
