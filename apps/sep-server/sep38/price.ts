import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { getPrice, getPrices } from '@windlass/contracts/sep38.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { undelivered } from './delivery.ts'
import { readAmount } from '../transactions/amounts.ts'
import { assetName, fiatAssets } from '../transactions/asset.ts'

interface Pair {
  sell_asset: string
  buy_asset: string
  sell_amount?: string
  buy_amount?: string
  sell_delivery_method?: string
  buy_delivery_method?: string
  country_code?: string
}

/** One side of a pair is the anchor's asset, the other one of its currencies; exactly one amount. Throws a refusal. */
export function checkPair(deps: Deps, pair: Pair): Pair {
  const { anchor } = deps.config
  const [ours, fiat] = [assetName(anchor), fiatAssets(anchor)]
  const fits =
    (pair.sell_asset === ours && fiat.includes(pair.buy_asset)) ||
    (pair.buy_asset === ours && fiat.includes(pair.sell_asset))
  if (!fits) throw refused('the anchor does not exchange these assets; see /info')
  if (Boolean(pair.sell_amount) === Boolean(pair.buy_amount)) {
    throw refused('exactly one of sell_amount and buy_amount is needed')
  }
  const wrong = undelivered(anchor, pair)
  if (wrong) throw refused(wrong)
  return {
    sell_asset: pair.sell_asset,
    buy_asset: pair.buy_asset,
    sell_amount: pair.sell_amount ? readAmount('sell_amount', pair.sell_amount) : undefined,
    buy_amount: pair.buy_amount ? readAmount('buy_amount', pair.buy_amount) : undefined,
  }
}

/** `GET /price` */
export async function indicativePrice(deps: Deps, query: QueryOf<typeof getPrice>) {
  const { context: _, ...wanted } = query
  const pair = checkPair(deps, wanted)
  const rate = await deps.business.rate({ ...wanted, ...pair, type: 'indicative' })
  const { price, total_price, sell_amount, buy_amount, fee } = rate
  return { price, total_price, sell_amount, buy_amount, fee }
}

/** `GET /prices`: against every asset on the other side that there is a rate for. */
export async function indicativePrices(deps: Deps, query: QueryOf<typeof getPrices>) {
  const { anchor } = deps.config
  const selling = query.sell_asset !== undefined
  if (selling === (query.buy_asset !== undefined)) {
    throw refused('exactly one of sell_asset and buy_asset is needed')
  }
  const given = (selling ? query.sell_asset : query.buy_asset) ?? ''
  const amount = selling ? query.sell_amount : query.buy_amount
  if (!amount) throw refused(`${selling ? 'sell_amount' : 'buy_amount'} is needed`)
  const others = given === assetName(anchor) ? fiatAssets(anchor) : [assetName(anchor)]
  const { sell_delivery_method, buy_delivery_method, country_code } = query
  const delivery = { sell_delivery_method, buy_delivery_method, country_code }
  const pairs = others.map(other =>
    selling
      ? { sell_asset: given, buy_asset: other, sell_amount: amount, ...delivery }
      : { sell_asset: other, buy_asset: given, buy_amount: amount, ...delivery },
  )
  // A currency that does not move that way is left out; where none does, the wallet is told.
  const moving = pairs.filter(pair => undelivered(anchor, pair) === null)
  const priced = await Promise.all(
    (moving.length > 0 ? moving : pairs)
      .map(async pair => {
        const rate = { ...delivery, ...checkPair(deps, pair), type: 'indicative' as const }
        const { price } = await deps.business.rate(rate)
        const asset = selling ? pair.buy_asset : pair.sell_asset
        return { asset, price, decimals: asset.startsWith('iso4217:') ? 2 : 7 }
      })
      .map(answer => answer.catch(withoutRate)),
  )
  const found = priced.filter(each => each !== null)
  if (found.length === 0) throw refused('the anchor has no rate for this asset')
  return selling ? { buy_assets: found } : { sell_assets: found }
}

// A currency without a rate is left out; anything else that fails is told.
function withoutRate(error: unknown): null {
  if (error instanceof Problem && error.status === 400 && /no rate/.test(error.message)) return null
  throw error
}
