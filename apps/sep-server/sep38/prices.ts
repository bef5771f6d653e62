import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { getPrice, getPrices } from '@windlass/contracts/wallet/sep38.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { decimalsOf } from '@windlass/money/number-text.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { undelivered, unnamedMethod } from './info.ts'
import { readAmount } from '../requests/amounts.ts'
import { fiatAssets, ledgerAssets } from '../requests/asset.ts'

interface Pair {
  sell_asset: string
  buy_asset: string
  sell_amount?: string
  buy_amount?: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
}

/** Checks that one side is an asset of the anchor, the other one of its currencies, with exactly one amount. Throws 400. */
function checkPair(deps: Deps, settings: AnchorSettings, pair: Pair): Pair {
  const { anchor } = deps.config
  const [served, fiat] = [ledgerAssets(anchor), fiatAssets(anchor)]
  const supported =
    (served.includes(pair.sell_asset) && fiat.includes(pair.buy_asset)) ||
    (served.includes(pair.buy_asset) && fiat.includes(pair.sell_asset))
  if (!supported) throw badRequest('the anchor does not exchange these assets; see /info')
  if (Boolean(pair.sell_amount) === Boolean(pair.buy_amount)) {
    throw badRequest('exactly one of sell_amount and buy_amount is required')
  }
  const wrong = undelivered(anchor, settings, pair)
  if (wrong) throw badRequest(wrong)
  return {
    sell_asset: pair.sell_asset,
    buy_asset: pair.buy_asset,
    sell_amount: pair.sell_amount ? readAmount('sell_amount', pair.sell_amount) : undefined,
    buy_amount: pair.buy_amount ? readAmount('buy_amount', pair.buy_amount) : undefined,
  }
}

/** As {@link checkPair}, of one pair: it may have to name a delivery method. Throws 400. */
export function checkOnePair(deps: Deps, settings: AnchorSettings, pair: Pair): Pair {
  const checked = checkPair(deps, settings, pair)
  const unnamed = unnamedMethod(deps.config.anchor, settings, pair)
  if (unnamed) throw badRequest(unnamed)
  return checked
}

/** `GET /price` */
export async function indicativePrice(deps: Deps, query: QueryOf<typeof getPrice>) {
  const { context: _, ...wanted } = query
  const pair = checkOnePair(deps, await deps.terms.current(), wanted)
  const rate = await deps.business.rate({ ...wanted, ...pair, type: 'indicative' })
  const { price, total_price, sell_amount, buy_amount, fee } = rate
  return { price, total_price, sell_amount, buy_amount, fee }
}

/** `GET /prices`: the prices against every asset on the other side that has a rate. */
export async function indicativePrices(deps: Deps, query: QueryOf<typeof getPrices>) {
  const { anchor } = deps.config
  const settings = await deps.terms.current()
  if (!query.sell_asset && !query.buy_asset) throw badRequest('sell_asset or buy_asset is required')
  // With both assets the amount says which one is given; the rest is superfluous.
  const selling = Boolean(query.sell_asset && (query.sell_amount || !query.buy_asset))
  const given = (selling ? query.sell_asset : query.buy_asset) ?? ''
  const amount = selling ? query.sell_amount : query.buy_amount
  if (!amount) throw badRequest(`${selling ? 'sell_amount' : 'buy_amount'} is required`)
  const served = ledgerAssets(anchor)
  const others = served.includes(given) ? fiatAssets(anchor) : served
  const { sell_delivery_method, buy_delivery_method, country_code } = query
  const delivery = { sell_delivery_method, buy_delivery_method, country_code }
  const pairs = others.map(other =>
    selling
      ? { sell_asset: given, buy_asset: other, sell_amount: amount, ...delivery }
      : { sell_asset: other, buy_asset: given, buy_amount: amount, ...delivery },
  )
  // Currencies without this delivery method are left out; if none remains, the error names the method.
  const moving = pairs.filter(pair => undelivered(anchor, settings, pair) === null)
  const priced = await Promise.all(
    (moving.length > 0 ? moving : pairs)
      .map(async pair => {
        const rate = { ...delivery, ...checkPair(deps, settings, pair), type: 'indicative' as const }
        const { price } = await deps.business.rate(rate)
        const asset = selling ? pair.buy_asset : pair.sell_asset
        return { asset, price, decimals: decimalsOf(asset.replace('iso4217:', '')) }
      })
      .map(answer => answer.catch(withoutRate)),
  )
  const found = priced.filter(each => each !== null)
  if (found.length === 0) throw badRequest('the anchor has no rate for this asset')
  return selling ? { buy_assets: found } : { sell_assets: found }
}

// A currency without a rate is left out.
function withoutRate(error: unknown): null {
  if (error instanceof Problem && error.code === 'unsupported-pair') return null
  throw error
}
