import type { Demand } from './check-anchor.ts'
import { demand, demandOk, demandRefusal, member, type Visit } from './visit.ts'

const ours = ({ anchor }: Visit) => `stellar:${anchor.asset.code}:${anchor.asset.issuer}`

const readAssets = (visit: Visit) =>
  visit.once('assets', async () => {
    const answer = await visit.ask(`${visit.endpoints.quoteServer}/info`)
    demandOk(answer, '/info')
    const assets = member(answer.json, 'assets')
    demand(Array.isArray(assets), '/info has no assets.')
    return assets as unknown[]
  })

const isCurrency = (each: unknown) => String(member(each, 'asset')).startsWith('iso4217:')

export const sep38: readonly Demand[] = [
  {
    check: 'sep38-info',
    demand: '/info names the asset and its currencies, these with delivery methods.',
    meaning: 'Wallets cannot show what a transfer would cost.',
    see: async visit => {
      const assets = await readAssets(visit)
      demand(
        assets.some(each => member(each, 'asset') === ours(visit)),
        `/info lacks ${ours(visit)}.`,
      )
      const currencies = assets.filter(isCurrency)
      demand(currencies.length > 0, '/info names no currency.')
      const bare = currencies.find(each => !Array.isArray(member(each, 'sell_delivery_methods')))
      demand(!bare, `${String(member(bare, 'asset'))} has no delivery methods.`)
    },
  },
  {
    check: 'sep38-prices',
    demand: 'Indicative prices are decimal strings, or a refusal says that there is no rate.',
    meaning: 'Wallets cannot show what a transfer would cost.',
    see: async visit => {
      const query = new URLSearchParams({ sell_asset: ours(visit), sell_amount: visit.anchor.amount })
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/prices?${query}`)
      if (answer.status === 400) return demandRefusal(answer, '/prices', 400)
      demandOk(answer, '/prices')
      const prices = member(answer.json, 'buy_assets')
      demand(Array.isArray(prices) && prices.length > 0, '/prices has no buy_assets.')
      const bad = prices.find(each => !/^\d+(\.\d+)?$/.test(String(member(each, 'price'))))
      demand(!bad, `The price of ${String(member(bad, 'asset'))} is no decimal.`)
    },
  },
  {
    check: 'sep38-unknown-asset',
    demand: 'Prices of an asset of somebody else are refused with 400.',
    meaning: 'Wallets would be quoted what the anchor does not do.',
    see: async visit => {
      const query = new URLSearchParams({ sell_asset: 'iso4217:XXX', sell_amount: '1' })
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/prices?${query}`)
      demandRefusal(answer, 'An asset of nobody', 400)
    },
  },
  {
    check: 'sep38-token',
    demand: 'A firm quote needs a token: 403 without one.',
    meaning: 'Strangers could bind the anchor’s treasury.',
    see: async visit => {
      const [currency] = (await readAssets(visit)).filter(isCurrency)
      const json = {
        context: 'sep24',
        sell_asset: ours(visit),
        buy_asset: String(member(currency, 'asset')).slice(0, 100),
        sell_amount: visit.anchor.amount,
      }
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/quote`, { method: 'POST', json })
      demandRefusal(answer, 'No token', 403)
    },
  },
]
