import { expect, test } from 'vitest'
import { RefusedError, type Offer } from '../wallet/wallet.ts'
import { findOffers, type Kind } from './offers.ts'

const offerOf = (given: Partial<Offer>): Offer => ({
  ...{
    anchorId: 'a',
    slug: 'mumbai',
    domain: 'mumbai.example',
    asset: 'LOTUS',
    rail: 'UPI',
    currency: 'INR',
  },
  ...{ amount: '5.55', fxRate: '1', sellAmount: '6.07775', buyAmount: '5.55', score: 100 },
  fee: { fixed: '0.5', percentage: '0.005', variable: '0.02775', total: '0.52775' },
  scores: { fee: 100, speed: 100, uptime: 100, liquidity: 100 },
  ...given,
})

test.each([
  ['deposit', {}, '6.08 INR', '5.55 LOTUS'],
  ['deposit', { currency: 'JPY' }, '7 JPY', '5.55 LOTUS'],
  ['deposit', { sellAmount: '8938.5' }, '8938.5 INR', '5.55 LOTUS'],
  ['withdraw', {}, '5.55 LOTUS', '5.02 INR'],
  ['withdraw', { amount: '0.4' }, '5.55 LOTUS', '0 INR'],
] as const)(
  'a %s of %o is offered in money that a rail moves: customers give %s and get %s',
  async (kind, given, gives, gets) => {
    const wallet = {
      compare: async () => [offerOf(given)],
      route: async () => {
        throw new RefusedError('no-eligible-anchor', 'None.', { status: 404, requestId: null })
      },
    }
    const asked = { kind: kind as Kind, amount: '5.55', asset: 'LOTUS', rail: 'UPI', currency: 'INR' }
    const { list } = await findOffers(wallet, asked, new AbortController().signal)
    const [first] = list.map(offer =>
      [offer.gives, offer.gets].map(({ amount, unit }) => `${amount} ${unit}`),
    )
    expect(first).toEqual([gives, gets])
  },
)
