import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { countries as countriesByThree } from '@windlass/contracts/countries.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { RailKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { onceForTerms, openRails } from '../clients/terms.ts'
import { fiatAssets, ledgerAssets } from '../requests/asset.ts'

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

/** `/info` of SEP-38: the assets on the ledger, and each currency with the rails that move it. */
export const sep38Info = onceForTerms((anchor, settings): { assets: Sep38Asset[] } => {
  const paidIn = openRails(anchor, settings, 'deposit')
  const paidOut = openRails(anchor, settings, 'withdrawal')
  const fiat = fiatAssets(anchor).map(asset => {
    const moves = (rails: RailKind[]) => rails.filter(({ currency }) => asset === `iso4217:${currency}`)
    const methods = (rails: RailKind[]) =>
      moves(rails).map(({ method, label }) => ({ name: method, description: label }))
    const countries = [...new Set(moves([...paidIn, ...paidOut]).flatMap(each => each.countries))]
    return {
      asset,
      ...(countries.length > 0 ? { country_codes: countries } : {}),
      sell_delivery_methods: methods(paidIn),
      buy_delivery_methods: methods(paidOut),
    }
  })
  return { assets: [...ledgerAssets(anchor).map(asset => ({ asset })), ...fiat] }
})

interface Delivery {
  sell_asset: string
  buy_asset: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
}

/** What the two sides of a pair can be delivered by. */
function sidesOf(anchor: AnchorConfig, settings: AnchorSettings, wanted: Delivery) {
  const { assets } = sep38Info(anchor, settings)
  const sold = assets.find(({ asset }) => asset === wanted.sell_asset)
  const bought = assets.find(({ asset }) => asset === wanted.buy_asset)
  const methodsBySide = [
    ['sell_delivery_method', wanted.sell_delivery_method, sold?.sell_delivery_methods ?? []],
    ['buy_delivery_method', wanted.buy_delivery_method, bought?.buy_delivery_methods ?? []],
  ] as const
  return { methodsBySide, countries: sold?.country_codes ?? bought?.country_codes }
}

const namesOf = (methods: readonly DeliveryMethod[]) => methods.map(({ name }) => name).join(', ')

/** Why a pair has no price, where the operator wants one of several methods named. Null if it has. */
export function unnamedMethod(
  anchor: AnchorConfig,
  settings: AnchorSettings,
  wanted: Delivery,
): string | null {
  if (settings.wallets?.unnamedMethods !== false) return null
  const unnamed = sidesOf(anchor, settings, wanted).methodsBySide.find(
    ([, given, methods]) => !given && methods.length > 1,
  )
  return unnamed ? `${unnamed[0]} is required; it must be one of ${namesOf(unnamed[2])}` : null
}

/** Why a pair cannot be delivered: a method or country that `/info` does not list. Null if it can. */
export function undelivered(anchor: AnchorConfig, settings: AnchorSettings, wanted: Delivery): string | null {
  const { methodsBySide, countries } = sidesOf(anchor, settings, wanted)
  for (const [name, given, methods] of methodsBySide) {
    if (!given || methods.some(method => method.name === given)) continue
    const known = namesOf(methods)
    return known ? `${name} must be one of ${known}` : `${name}: this asset has no delivery methods`
  }
  const country = countryOf(wanted.country_code)
  if (country && countries && !countries.includes(country)) {
    return `country_code must be one of ${countries.join(', ')}`
  }
  return null
}

/** `IN` of `IN`, of its part `IN-MH` (ISO 3166-2), and of `IND`. Other notations are ignored. */
function countryOf(code = ''): string | undefined {
  const given = code.toUpperCase()
  return countriesByThree.get(given) ?? /^([A-Z]{2})(-|$)/.exec(given)?.[1]
}
