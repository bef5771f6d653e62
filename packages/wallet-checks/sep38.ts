import { nameOf } from './asset.ts'
import { ensure, ensureOk, ensureRefused, member, type Check, type Visit } from './visit.ts'

const anchorAsset = ({ anchor }: Visit) => nameOf(anchor.asset)

const readAssets = (visit: Visit) =>
  visit.once('assets', async () => {
    const answer = await visit.ask(`${visit.endpoints.quoteServer}/info`)
    ensureOk(answer, '/info')
    const assets = member(answer.json, 'assets')
    ensure(Array.isArray(assets), '/info has no assets.')
    return assets as unknown[]
  })

const isCurrency = (each: unknown) => String(member(each, 'asset')).startsWith('iso4217:')

export const sep38: readonly Check[] = [
  {
    name: 'sep38-info',
    requirement: '/info lists the asset and its currencies with delivery methods.',
    impact: 'Wallets cannot show the price of a transfer.',
    run: async visit => {
      const assets = await readAssets(visit)
      ensure(
        assets.some(each => member(each, 'asset') === anchorAsset(visit)),
        `/info lacks ${anchorAsset(visit)}.`,
      )
      const currencies = assets.filter(isCurrency)
      ensure(currencies.length > 0, '/info lists no currency.')
      const incomplete = currencies.find(each => !Array.isArray(member(each, 'sell_delivery_methods')))
      ensure(!incomplete, `${String(member(incomplete, 'asset'))} has no delivery methods.`)
    },
  },
  {
    name: 'sep38-prices',
    requirement: 'Indicative prices are decimal strings; an error says if there is no rate.',
    impact: 'Wallets cannot show the price of a transfer.',
    run: async visit => {
      const query = new URLSearchParams({ sell_asset: anchorAsset(visit), sell_amount: visit.anchor.amount })
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/prices?${query}`)
      if (answer.status === 400) return ensureRefused(answer, '/prices', 400)
      ensureOk(answer, '/prices')
      const prices = member(answer.json, 'buy_assets')
      ensure(Array.isArray(prices) && prices.length > 0, '/prices has no buy_assets.')
      const bad = prices.find(each => !/^\d+(\.\d+)?$/.test(String(member(each, 'price'))))
      ensure(!bad, `The price of ${String(member(bad, 'asset'))} is not a decimal number.`)
    },
  },
  {
    name: 'sep38-unknown-asset',
    requirement: 'Prices of an unknown asset are refused with 400.',
    impact: 'Wallets would show prices for assets that the anchor does not support.',
    run: async visit => {
      const query = new URLSearchParams({ sell_asset: 'iso4217:XXX', sell_amount: '1' })
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/prices?${query}`)
      ensureRefused(answer, 'An unknown asset', 400)
    },
  },
  {
    name: 'sep38-token',
    requirement: 'A firm quote needs a token: 403 without one.',
    impact: 'Strangers could reserve the anchor’s treasury.',
    run: async visit => {
      const [currency] = (await readAssets(visit)).filter(isCurrency)
      const json = {
        context: 'sep24',
        sell_asset: anchorAsset(visit),
        buy_asset: String(member(currency, 'asset')).slice(0, 100),
        sell_amount: visit.anchor.amount,
      }
      const answer = await visit.ask(`${visit.endpoints.quoteServer}/quote`, { method: 'POST', json })
      ensureRefused(answer, 'No token', 403)
    },
  },
]
