import { servedAssets, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { railKind, receiverType, SENDER_TYPE } from '@windlass/contracts/platform/anchor-rails.ts'
import { isOpen, openRails, type CurrentTerms } from '../clients/terms.ts'
import { byCode } from '../requests/asset.ts'
import { terms } from '../sep6/info.ts'

/** `/info` of SEP-31: each asset, received for payouts over the anchor's rails. */
export function sep31Info(anchor: AnchorConfig, settings: CurrentTerms) {
  const { plan } = anchor
  const rails = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  const describe = (asset: ServedAsset) => {
    const open = openRails(anchor, settings, 'withdrawal', asset)
    const receivers = open.map(rail => [
      receiverType(rail, rails),
      { description: `people and companies who are paid in ${rail.currency} over ${rail.label}` },
    ])
    return {
      enabled: isOpen(anchor, settings, 'withdrawal', asset),
      quotes_supported: true,
      quotes_required: false,
      ...terms(anchor, settings, 'withdrawal'),
      funding_methods: open.map(({ method }) => method),
      sep12: {
        sender: { types: { [SENDER_TYPE]: { description: 'people and companies who send money' } } },
        receiver: { types: Object.fromEntries(receivers) },
      },
      fields: { transaction: {} },
    }
  }
  return { receive: byCode(servedAssets(anchor), describe) }
}
