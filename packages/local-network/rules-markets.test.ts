import { Asset, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'
import {
  buy,
  deposit,
  lumens,
  Market,
  pooled,
  receive,
  sell,
  send,
  share,
  withdraw,
} from './testing/market.ts'

let lab: Laboratory
let market: Market
/** Its issuer decides who may hold its assets, and may revoke that. */
let guarded: Market
beforeAll(async () => {
  lab = await Laboratory.open()
  market = await Market.open(lab)
  guarded = await Market.open(lab, 3)
})
afterAll(() => lab.close())

type Row = readonly [
  rule: string,
  code: string,
  arrange: () => Promise<readonly [source: Keypair, operation: xdr.Operation]>,
]

const noTrust = async () => lab.funded()

/** A trader of the guarded market who holds EUR and may no longer move it. */
async function frozen(): Promise<Keypair> {
  const key = await guarded.lab.funded()
  await guarded.succeed(
    key,
    Operation.changeTrust({ asset: guarded.eur }),
    Operation.changeTrust({ asset: guarded.inr }),
  )
  await guarded.authorize(key, guarded.eur, true)
  await guarded.authorize(key, guarded.inr, true)
  await guarded.succeed(
    guarded.issuer,
    Operation.payment({ asset: guarded.eur, amount: '10', destination: key.publicKey() }),
    Operation.payment({ asset: guarded.inr, amount: '10', destination: key.publicKey() }),
  )
  await guarded.authorize(key, guarded.eur, false, true)
  return key
}

const offers: Row[] = [
  [
    'selling without a line',
    'op_sell_no_trust',
    async () => [await noTrust(), sell(market.eur, lumens, '1', '1')],
  ],
  [
    'buying without a line',
    'op_buy_no_trust',
    async () => [await noTrust(), sell(lumens, market.eur, '1', '1')],
  ],
  [
    'selling what may not be moved',
    'sell_not_authorized',
    async () => [await frozen(), sell(guarded.eur, lumens, '1', '1')],
  ],
  [
    'buying what may not be held',
    'buy_not_authorized',
    async () => [await frozen(), sell(lumens, guarded.eur, '1', '1')],
  ],
  [
    'buying with a bid what may not be held',
    'buy_not_authorized',
    async () => [await frozen(), buy(lumens, guarded.eur, '1', '1')],
  ],
  [
    'selling an asset of which there is nothing',
    'op_underfunded',
    async () => [await market.trader(), sell(market.eur, lumens, '1', '1')],
  ],
  [
    'selling more than there is',
    'op_underfunded',
    async () => [await market.trader({ eur: '5' }), sell(market.eur, lumens, '6', '1')],
  ],
  [
    'selling what another offer binds',
    'op_underfunded',
    async () => {
      const key = await market.trader({ eur: '5' })
      await market.succeed(key, sell(market.eur, lumens, '4', '99'))
      return [key, sell(market.eur, lumens, '2', '98')]
    },
  ],
  [
    'buying beyond the limit of a line',
    'op_line_full',
    async () => {
      const key = await market.trader()
      await market.succeed(key, Operation.changeTrust({ asset: market.eur, limit: '5' }))
      return [key, buy(lumens, market.eur, '6', '1')]
    },
  ],
  [
    'changing an offer that is not there',
    'op_offer_not_found',
    async () => [await market.trader({ eur: '5' }), sell(market.eur, lumens, '1', '1', '999999')],
  ],
  [
    "changing another's offer",
    'op_offer_not_found',
    async () => {
      const owner = await market.trader({ eur: '5' })
      await market.succeed(owner, sell(market.eur, lumens, '1', '77'))
      const [offer] = await market.offersOf(owner)
      return [await market.trader({ eur: '5' }), sell(market.eur, lumens, '1', '1', String(offer?.id))]
    },
  ],
  [
    'an offer whose reserve is not covered',
    'op_low_reserve',
    async () => {
      const key = await lab.holding(15_000_000n)
      return [key, sell(lumens, new Asset('OWN', key.publicKey()), '0.1', '1')]
    },
  ],
]

const paths: Row[] = [
  [
    'a path to an account that does not exist',
    'op_no_destination',
    async () => [
      await lab.funded(),
      send({ from: lumens, amount: '1', to: Keypair.random(), asset: lumens, least: '1' }),
    ],
  ],
  [
    'a path to an account without a line',
    'op_no_trust',
    async () => {
      const maker = await market.trader({ eur: '5' })
      await market.succeed(maker, sell(market.eur, lumens, '5', '50'))
      return [
        await lab.funded(),
        send({ from: lumens, amount: '50', to: await lab.funded(), asset: market.eur, least: '1' }),
      ]
    },
  ],
  [
    'a path to a line that is frozen',
    'op_not_authorized',
    async () => [
      guarded.issuer,
      send({ from: guarded.eur, amount: '1', to: await frozen(), asset: guarded.eur, least: '1' }),
    ],
  ],
  [
    'a path from an account without a line',
    'op_src_no_trust',
    async () => [
      await lab.funded(),
      send({ from: market.eur, amount: '1', to: await market.trader(), asset: market.eur, least: '1' }),
    ],
  ],
  [
    'a path from a line that is frozen',
    'op_src_not_authorized',
    async () => [
      await frozen(),
      send({ from: guarded.eur, amount: '1', to: guarded.issuer, asset: guarded.eur, least: '1' }),
    ],
  ],
  [
    'a path from an account that has too little',
    'op_underfunded',
    async () => [
      await lab.funded(),
      send({ from: lumens, amount: '10000', to: await lab.funded(), asset: lumens, least: '1' }),
    ],
  ],
  [
    'a path to a line without room',
    'op_line_full',
    async () => {
      const [from, to] = [await market.trader({ eur: '9' }), await market.trader()]
      await market.succeed(to, Operation.changeTrust({ asset: market.eur, limit: '5' }))
      return [from, receive({ from: market.eur, most: '9', to, asset: market.eur, amount: '6' })]
    },
  ],
  [
    'a path without offers',
    'op_too_few_offers',
    async () => {
      const other = await Market.open(lab)
      return [
        await lab.funded(),
        send({ from: lumens, amount: '1', to: await other.trader(), asset: other.eur, least: '1' }),
      ]
    },
  ],
  [
    "a path through one's own offer",
    'op_cross_self',
    async () => {
      const other = await Market.open(lab)
      const maker = await other.trader({ eur: '5' })
      await other.succeed(maker, sell(other.eur, lumens, '5', '1'))
      return [
        maker,
        send({ from: lumens, amount: '1', to: await other.trader(), asset: other.eur, least: '0.1' }),
      ]
    },
  ],
  [
    'a strict send that comes to too little',
    'op_under_dest_min',
    async () => {
      const [other, taker] = await booked('2')
      return [taker, send({ from: lumens, amount: '2', to: taker, asset: other.eur, least: '1.1' })]
    },
  ],
  [
    'a strict receive that costs too much',
    'op_over_source_max',
    async () => {
      const [other, taker] = await booked('2')
      return [taker, receive({ from: lumens, most: '1.9', to: taker, asset: other.eur, amount: '1' })]
    },
  ],
]

/** A market where one EUR costs this many lumens, and someone to take it. */
async function booked(price: string): Promise<readonly [Market, Keypair]> {
  const other = await Market.open(lab)
  const maker = await other.trader({ eur: '100' })
  await other.succeed(maker, sell(other.eur, lumens, '100', price))
  return [other, await other.trader()]
}

const pools: Row[] = [
  [
    'shares of a pool without a line for its asset',
    'op_trust_line_missing',
    async () => [await lab.funded(), Operation.changeTrust({ asset: share(market) })],
  ],
  [
    'removing a line that a pool needs',
    'op_cannot_delete',
    async () => {
      const key = await market.trader()
      await market.succeed(key, Operation.changeTrust({ asset: share(market) }))
      return [key, Operation.changeTrust({ asset: market.eur, limit: '0' })]
    },
  ],
  [
    'a deposit without a line for shares',
    'op_no_trust',
    async () => [await market.trader({ eur: '5' }), deposit(market, '1', '1')],
  ],
  [
    'a deposit of more than there is',
    'op_underfunded',
    async () => {
      const [other, member] = await pooled(lab)
      return [member, deposit(other, '1000', '4000')]
    },
  ],
  [
    'a deposit at a price outside its bounds',
    'op_bad_price',
    async () => {
      const [other, member] = await pooled(lab)
      return [member, deposit(other, '1', '4', '1', '2')]
    },
  ],
  [
    'a deposit beyond the limit for shares',
    'op_line_full',
    async () => {
      const [other, member] = await pooled(lab)
      await other.succeed(member, Operation.changeTrust({ asset: share(other), limit: '201' }))
      return [member, deposit(other, '10', '40')]
    },
  ],
  [
    'a withdrawal of more shares than there are',
    'op_underfunded',
    async () => {
      const [other, member] = await pooled(lab)
      return [member, withdraw(other, '201')]
    },
  ],
  [
    'a withdrawal below its minimum',
    'op_under_minimum',
    async () => {
      const [other, member] = await pooled(lab)
      return [member, withdraw(other, '100', '51')]
    },
  ],
  [
    'a withdrawal beyond the limit of a line',
    'op_line_full',
    async () => {
      const [other, member] = await pooled(lab)
      await other.succeed(member, Operation.changeTrust({ asset: other.eur, limit: '600' }))
      return [member, withdraw(other, '1')]
    },
  ],
  [
    'a withdrawal without a line for shares',
    'op_no_trust',
    async () => [await market.trader(), withdraw(market, '1')],
  ],
]

describe('the ledger refuses', () => {
  it.each([...offers, ...paths, ...pools])('%s: %s', async (_rule, code, arrange) => {
    const [source, operation] = await arrange()
    expect(await market.codes(source, [operation])).toEqual([code])
  })

  it.each([
    ['an offer of an asset for itself', () => sell(lumens, lumens, '1', '1')],
    ['removing an offer without naming it', () => sell(lumens, market.eur, '0', '1')],
    ['an offer for nothing', () => sell(lumens, market.eur, '1', { n: 0, d: 1 })],
    ['a deposit whose bounds exclude each other', () => deposit(market, '1', '1', '2', '1')],
  ] as const)('%s as malformed, before it costs anything', async (_rule, operation) => {
    const key = await lab.funded()
    const before = await lab.nativeBalance(key.publicKey())
    expect(await market.codes(key, [operation()])).toEqual(['op_malformed'])
    expect(await lab.nativeBalance(key.publicKey())).toBe(before)
  })

  it("an offer that would take its maker's own: op_cross_self", async () => {
    const [other] = await booked('1')
    const maker = await other.trader({ eur: '9' })
    await other.succeed(maker, sell(other.eur, lumens, '1', '0.5'))
    expect(await other.codes(maker, [sell(lumens, other.eur, '1', '1')])).toEqual(['op_cross_self'])
  })

  it('more than a thousand offers at once: op_exceeded_work_limit', async () => {
    const other = await Market.open(lab)
    const makers = [await other.trader({ eur: '1' }), await other.trader({ eur: '1' })]
    const crumb = Array.from({ length: 100 }, () => sell(other.eur, lumens, '0.0000001', '1'))
    for (const [index, maker] of makers.entries())
      for (let count = 0; count < (index === 0 ? 9 : 2); count++) await other.succeed(maker, ...crumb)
    const taker = await other.trader()
    expect(await other.codes(taker, [sell(lumens, other.eur, '0.0001001', '1')])).toEqual([
      'op_exceeded_work_limit',
    ])
    await other.succeed(taker, sell(lumens, other.eur, '0.0001', '1'))
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '0.0001000' })
  })
})
