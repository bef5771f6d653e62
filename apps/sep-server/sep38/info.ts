import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind } from '@windlass/contracts/anchor-rails.ts'
import { assetName, fiatAssets } from '../requests/asset.ts'

interface DeliveryMethod {
  name: string
  description: string
}
interface Sep38Asset {
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
    const matching = rails.filter(({ currency }) => asset === `iso4217:${currency}`)
    const methods = matching.map(({ method, label }) => ({ name: method, description: label }))
    const countries = [...new Set(matching.flatMap(each => each.countries))]
    return {
      asset,
      ...(countries.length > 0 ? { country_codes: countries } : {}),
      sell_delivery_methods: methods,
      buy_delivery_methods: methods,
    }
  })
  return { assets: [{ asset: assetName(anchor) }, ...fiat] }
}

interface Delivery {
  sell_asset: string
  buy_asset: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
}

/** Why a pair cannot be delivered: a method or country that `/info` does not list. Null if it can. */
export function undelivered(anchor: AnchorConfig, wanted: Delivery): string | null {
  const { assets } = sep38Info(anchor)
  const sold = assets.find(({ asset }) => asset === wanted.sell_asset)
  const bought = assets.find(({ asset }) => asset === wanted.buy_asset)
  const methodsBySide = [
    ['sell_delivery_method', wanted.sell_delivery_method, sold?.sell_delivery_methods],
    ['buy_delivery_method', wanted.buy_delivery_method, bought?.buy_delivery_methods],
  ] as const
  for (const [name, given, methods = []] of methodsBySide) {
    if (!given || methods.some(method => method.name === given)) continue
    const known = methods.map(method => method.name).join(', ')
    return known ? `${name} must be one of ${known}` : `${name}: this asset has no delivery methods`
  }
  const countries = sold?.country_codes ?? bought?.country_codes
  // `IN-MH` (ISO 3166-2) is part of `IN`. Other notations, such as `IND`, are ignored.
  const country = /^([A-Z]{2})(-|$)/.exec(wanted.country_code?.toUpperCase() ?? '')?.[1]
  if (country && countries && !countries.includes(country)) {
    return `country_code must be one of ${countries.join(', ')}`
  }
  return null
}
