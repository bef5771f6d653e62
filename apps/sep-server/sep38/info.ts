import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind } from '@windlass/contracts/anchor-rails.ts'
import { assetName, fiatAssets } from '../transactions/asset.ts'

interface DeliveryMethod {
  name: string
  description: string
}
export interface Sep38Asset {
  asset: string
  country_codes?: string[]
  sell_delivery_methods?: DeliveryMethod[]
  buy_delivery_methods?: DeliveryMethod[]
}

/** `/info` of SEP-38: the asset, and each currency with the rails that move it. */
export function sep38Info(anchor: AnchorConfig): { assets: Sep38Asset[] } {
  const { plan } = anchor
  const rails = plan.rails.map(name => railKind(name, plan.asset.anchoredTo))
  const fiat = fiatAssets(anchor).map(asset => {
    const ours = rails.filter(({ currency }) => asset === `iso4217:${currency}`)
    const methods = ours.map(({ method, label }) => ({ name: method, description: label }))
    const countries = [...new Set(ours.flatMap(each => each.countries))]
    return {
      asset,
      ...(countries.length > 0 ? { country_codes: countries } : {}),
      sell_delivery_methods: methods,
      buy_delivery_methods: methods,
    }
  })
  return { assets: [{ asset: assetName(anchor) }, ...fiat] }
}
