import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { sep38Info } from './info.ts'

interface Delivery {
  sell_asset: string
  buy_asset: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
}

/** Why a pair cannot be delivered as a wallet wants: a way or country that `/info` does not name. Null: it can be. */
export function undelivered(anchor: AnchorConfig, wanted: Delivery): string | null {
  const { assets } = sep38Info(anchor)
  const sold = assets.find(({ asset }) => asset === wanted.sell_asset)
  const bought = assets.find(({ asset }) => asset === wanted.buy_asset)
  const ways = [
    ['sell_delivery_method', wanted.sell_delivery_method, sold?.sell_delivery_methods],
    ['buy_delivery_method', wanted.buy_delivery_method, bought?.buy_delivery_methods],
  ] as const
  for (const [name, given, methods = []] of ways) {
    if (!given || methods.some(method => method.name === given)) continue
    const known = methods.map(method => method.name).join(', ')
    return known ? `${name} must be one of ${known}` : `${name}: this asset moves on the ledger alone`
  }
  const countries = sold?.country_codes ?? bought?.country_codes
  // `IN-MH` (ISO 3166-2) lies in `IN`; what is written in another way, such as `IND`, is not held against anybody.
  const country = /^([A-Z]{2})(-|$)/.exec(wanted.country_code?.toUpperCase() ?? '')?.[1]
  if (country && countries && !countries.includes(country)) {
    return `country_code must be one of ${countries.join(', ')}`
  }
  return null
}
