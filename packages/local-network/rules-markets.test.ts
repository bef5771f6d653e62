import {
  Asset,
  getLiquidityPoolId,
  Keypair,
  LiquidityPoolAsset,
  Operation,
  type xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'
import { buy, lumens, Market, passive, sell } from './testing/market.ts'

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
const authorize = (market: Market, key: Keypair, asset: Asset, authorized: boolean, maintain = false) =>
  market.succeed(
    market.issuer,
    Operation.setTrustLineFlags({
      trustor: key.publicKey(),
      asset,
      flags: { authorized, authorizedToMaintainLiabilities: maintain },
    }),
  )

/** A trader of the guarded market who holds EUR and may no longer move it. */
async function frozen(): Promise<Keypair> {
  const key = await guarded.lab.funded()
  await guarded.succeed(
    key,
    Operation.changeTrust({ asset: guarded.eur }),
    Operation.changeTrust({ asset: guarded.inr }),
  )
  await authorize(guarded, key, guarded.eur, true)
  await authorize(guarded, key, guarded.inr, true)
  await guarded.succeed(
    guarded.issuer,
    Operation.payment({ asset: guarded.eur, amount: '10', destination: key.publicKey() }),
    Operation.payment({ asset: guarded.inr, amount: '10', destination: key.publicKey() }),
  )
  await authorize(guarded, key, guarded.eur, false, true)
  return key
}

const native = lumens
const offers: Row[] = [
  [
    'selling without a line',
    'op_sell_no_trust',
    async () => [await noTrust(), sell(market.eur, native, '1', '1')],
  ],
  [
    'buying without a line',
    'op_buy_no_trust',
    async () => [await noTrust(), sell(native, market.eur, '1', '1')],
  ],
  [
    'selling what may not be moved',
    'sell_not_authorized',
    async () => [await frozen(), sell(guarded.eur, native, '1', '1')],
  ],
  [
    'buying what may not be held',
    'buy_not_authorized',
    async () => [await frozen(), sell(native, guarded.eur, '1', '1')],
  ],
  [
    'buying with a bid what may not be held',
    'buy_not_authorized',
    async () => [await frozen(), buy(native, guarded.eur, '1', '1')],
  ],
  [
    'selling an asset of which there is nothing',
    'op_underfunded',
    async () => [await market.trader(), sell(market.eur, native, '1', '1')],
  ],
  [
    'selling more than there is',
    'op_underfunded',
    async () => [await market.trader({ eur: '5' }), sell(market.eur, native, '6', '1')],
  ],
  [
    'selling what another offer binds',
    'op_underfunded',
    async () => {
      const key = await market.trader({ eur: '5' })
      await market.succeed(key, sell(market.eur, native, '4', '99'))
      return [key, sell(market.eur, native, '2', '98')]
    },
  ],
  [
    'buying beyond the limit of a line',
    'op_line_full',
    async () => {
      const key = await market.trader()
      await market.succeed(key, Operation.changeTrust({ asset: market.eur, limit: '5' }))
      return [key, buy(native, market.eur, '6', '1')]
    },
  ],
  [
    'changing an offer that is not there',
    'op_offer_not_found',
    async () => [await market.trader({ eur: '5' }), sell(market.eur, native, '1', '1', '999999')],
  ],
  [
    "changing another's offer",
    'op_offer_not_found',
    async () => {
      const owner = await market.trader({ eur: '5' })
      await market.succeed(owner, sell(market.eur, native, '1', '77'))
      const [offer] = await market.offersOf(owner)
      return [await market.trader({ eur: '5' }), sell(market.eur, native, '1', '1', String(offer?.id))]
    },
  ],
  [
    'an offer whose reserve is not covered',
    'op_low_reserve',
    async () => {
      const key = await lab.holding(15_000_000n)
      return [key, sell(native, new Asset('OWN', key.publicKey()), '0.1', '1')]
    },
  ],
]

const paths: Row[] = [
  [
    'a path to an account that does not exist',
    'op_no_destination',
    async () => [
      await lab.funded(),
      send({ from: native, amount: '1', to: Keypair.random(), asset: native, least: '1' }),
    ],
  ],
  [
    'a path to an account without a line',
    'op_no_trust',
    async () => {
      const maker = await market.trader({ eur: '5' })
      await market.succeed(maker, sell(market.eur, native, '5', '50'))
      return [
        await lab.funded(),
        send({ from: native, amount: '50', to: await lab.funded(), asset: market.eur, least: '1' }),
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
      send({ from: native, amount: '10000', to: await lab.funded(), asset: native, least: '1' }),
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
        send({ from: native, amount: '1', to: await other.trader(), asset: other.eur, least: '1' }),
      ]
    },
  ],
  [
    "a path through one's own offer",
    'op_cross_self',
    async () => {
      const other = await Market.open(lab)
      const maker = await other.trader({ eur: '5' })
      await other.succeed(maker, sell(other.eur, native, '5', '1'))
      return [
        maker,
        send({ from: native, amount: '1', to: await other.trader(), asset: other.eur, least: '0.1' }),
      ]
    },
  ],
  [
    'a strict send that comes to too little',
    'op_under_dest_min',
    async () => {
      const [other, taker] = await booked('2')
      return [taker, send({ from: native, amount: '2', to: taker, asset: other.eur, least: '1.1' })]
    },
  ],
  [
    'a strict receive that costs too much',
    'op_over_source_max',
    async () => {
      const [other, taker] = await booked('2')
      return [taker, receive({ from: native, most: '1.9', to: taker, asset: other.eur, amount: '1' })]
    },
  ],
]

/** A market where one EUR costs this many lumens, and someone to take it. */
async function booked(price: string): Promise<readonly [Market, Keypair]> {
  const other = await Market.open(lab)
  const maker = await other.trader({ eur: '100' })
  await other.succeed(maker, sell(other.eur, native, '100', price))
  return [other, await other.trader()]
}

interface Send {
  readonly from: Asset
  readonly amount: string
  readonly to: Keypair
  readonly asset: Asset
  readonly least: string
  readonly path?: Asset[]
}
const send = ({ from, amount, to, asset, least, path = [] }: Send) =>
  Operation.pathPaymentStrictSend({
    sendAsset: from,
    sendAmount: amount,
    destination: to.publicKey(),
    destAsset: asset,
    destMin: least,
    path,
  })
interface Receive {
  readonly from: Asset
  readonly most: string
  readonly to: Keypair
  readonly asset: Asset
  readonly amount: string
  readonly path?: Asset[]
}
const receive = ({ from, most, to, asset, amount, path = [] }: Receive) =>
  Operation.pathPaymentStrictReceive({
    sendAsset: from,
    sendMax: most,
    destination: to.publicKey(),
    destAsset: asset,
    destAmount: amount,
    path,
  })

const share = ({ eur }: Market) => new LiquidityPoolAsset(native, eur, 30)
const poolOf = ({ eur }: Market) => {
  const id: string | Uint8Array = getLiquidityPoolId('constant_product', {
    assetA: native,
    assetB: eur,
    fee: 30,
  })
  return typeof id === 'string' ? id : Buffer.from(id).toString('hex')
}
const deposit = (of: Market, a: string, b: string, minPrice = '0.0000001', maxPrice = '1000000') =>
  Operation.liquidityPoolDeposit({
    liquidityPoolId: poolOf(of),
    maxAmountA: a,
    maxAmountB: b,
    minPrice,
    maxPrice,
  })
const withdraw = (of: Market, amount: string, minAmountA = '0', minAmountB = '0') =>
  Operation.liquidityPoolWithdraw({ liquidityPoolId: poolOf(of), amount, minAmountA, minAmountB })

/** A pool of 100 lumens and 400 EUR, and the only account that has shares of it. */
async function pooled(): Promise<readonly [Market, Keypair]> {
  const other = await Market.open(lab)
  const member = await other.trader({ eur: '1000' })
  await other.succeed(member, Operation.changeTrust({ asset: share(other) }), deposit(other, '100', '400'))
  return [other, member]
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
      const [other, member] = await pooled()
      return [member, deposit(other, '1000', '4000')]
    },
  ],
  [
    'a deposit at a price outside its bounds',
    'op_bad_price',
    async () => {
      const [other, member] = await pooled()
      return [member, deposit(other, '1', '4', '1', '2')]
    },
  ],
  [
    'a deposit beyond the limit for shares',
    'op_line_full',
    async () => {
      const [other, member] = await pooled()
      await other.succeed(member, Operation.changeTrust({ asset: share(other), limit: '201' }))
      return [member, deposit(other, '10', '40')]
    },
  ],
  [
    'a withdrawal of more shares than there are',
    'op_underfunded',
    async () => {
      const [other, member] = await pooled()
      return [member, withdraw(other, '201')]
    },
  ],
  [
    'a withdrawal below its minimum',
    'op_under_minimum',
    async () => {
      const [other, member] = await pooled()
      return [member, withdraw(other, '100', '51')]
    },
  ],
  [
    'a withdrawal beyond the limit of a line',
    'op_line_full',
    async () => {
      const [other, member] = await pooled()
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
    ['an offer of an asset for itself', () => sell(native, native, '1', '1')],
    ['removing an offer without naming it', () => sell(native, market.eur, '0', '1')],
    ['an offer for nothing', () => sell(native, market.eur, '1', { n: 0, d: 1 })],
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
    await other.succeed(maker, sell(other.eur, native, '1', '0.5'))
    expect(await other.codes(maker, [sell(native, other.eur, '1', '1')])).toEqual(['op_cross_self'])
  })

  it('more than a thousand offers at once: op_exceeded_work_limit', async () => {
    const other = await Market.open(lab)
    const makers = [await other.trader({ eur: '1' }), await other.trader({ eur: '1' })]
    const crumb = Array.from({ length: 100 }, () => sell(other.eur, native, '0.0000001', '1'))
    for (const [index, maker] of makers.entries())
      for (let count = 0; count < (index === 0 ? 9 : 2); count++) await other.succeed(maker, ...crumb)
    const taker = await other.trader()
    expect(await other.codes(taker, [sell(native, other.eur, '0.0001001', '1')])).toEqual([
      'op_exceeded_work_limit',
    ])
    await other.succeed(taker, sell(native, other.eur, '0.0001', '1'))
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '0.0001000' })
  })
})

describe('an offer', () => {
  it('binds what it sells and what it buys until it is removed', async () => {
    const key = await market.trader({ eur: '100' })
    await market.succeed(key, sell(market.eur, market.inr, '30', '5'))
    expect(await market.holds(key, market.eur)).toEqual({
      balance: '100.0000000',
      selling: '30.0000000',
      buying: '0.0000000',
    })
    expect(await market.holds(key, market.inr)).toMatchObject({ buying: '150.0000000' })
    const pays = Operation.payment({
      asset: market.eur,
      amount: '71',
      destination: market.issuer.publicKey(),
    })
    expect(await market.codes(key, [pays])).toEqual(['op_underfunded'])
    expect(await market.codes(key, [Operation.changeTrust({ asset: market.inr, limit: '149' })])).toEqual([
      'op_invalid_limit',
    ])
    const [offer] = await market.offersOf(key)
    await market.succeed(key, sell(market.eur, market.inr, '40', '2', String(offer?.id)))
    expect(await market.holds(key, market.inr)).toMatchObject({ buying: '80.0000000' })
    await market.succeed(key, sell(market.eur, market.inr, '0', '2', String(offer?.id)))
    expect(await market.holds(key, market.eur)).toMatchObject({ selling: '0.0000000' })
    expect((await lab.horizon.loadAccount(key.publicKey())).subentry_count).toBe(2)
  })

  it('takes the best offers first, at their price, and leaves its rest in the book', async () => {
    const other = await Market.open(lab)
    const [dear, cheap, taker] = [
      await other.trader({ eur: '10' }),
      await other.trader({ eur: '10' }),
      await other.trader(),
    ]
    await other.succeed(dear, sell(other.eur, native, '10', '3'))
    await other.succeed(cheap, sell(other.eur, native, '10', '2'))
    await other.succeed(taker, buy(native, other.eur, '25', '3'))
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '20.0000000', buying: '5.0000000' })
    const { bids, asks } = await lab.horizon.orderbook(other.eur, native).call()
    expect([bids, asks]).toEqual([
      [{ price_r: { n: 3, d: 1 }, price: '3.0000000', amount: '15.0000000' }],
      [],
    ])
    const { records } = await lab.horizon.trades().forAssetPair(other.eur, native).call()
    expect(records.map(({ price }) => price)).toEqual([
      { n: '2', d: '1' },
      { n: '3', d: '1' },
    ])
  })

  it('of the passive kind does not take one of the same price', async () => {
    const other = await Market.open(lab)
    const [one, two] = [await other.trader({ eur: '10' }), await other.trader()]
    await other.succeed(one, passive(other.eur, native, '10', '2'))
    await other.succeed(two, passive(native, other.eur, '10', '0.5'))
    expect(await other.holds(two, other.eur)).toMatchObject({ balance: '0.0000000', buying: '5.0000000' })
    await other.succeed(two, sell(native, other.eur, '10', '0.5'))
    expect(await other.holds(two, other.eur)).toMatchObject({ balance: '5.0000000' })
  })

  it('rounds in favour of the offer that stays', async () => {
    const other = await Market.open(lab)
    const [maker, taker] = [await other.trader({ eur: '1' }), await other.trader()]
    await other.succeed(maker, sell(other.eur, native, '0.0000100', { n: 3, d: 2 }))
    await other.succeed(taker, buy(native, other.eur, '0.0000051', '2'))
    // 5.1 at 1.5 is 7.65: the maker, whose offer stays, gets the fraction.
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '0.0000051' })
    const [trade] = (await lab.horizon.trades().forAssetPair(other.eur, native).call()).records
    expect(trade).toMatchObject({ base_amount: '0.0000051', counter_amount: '0.0000077' })
  })

  it('ends when its maker may no longer hold what it sells', async () => {
    const key = await guarded.lab.funded()
    await guarded.succeed(key, Operation.changeTrust({ asset: guarded.eur }))
    await authorize(guarded, key, guarded.eur, true)
    await guarded.succeed(
      guarded.issuer,
      Operation.payment({ asset: guarded.eur, amount: '10', destination: key.publicKey() }),
    )
    await guarded.succeed(key, sell(guarded.eur, native, '10', '2'))
    await authorize(guarded, key, guarded.eur, false, true)
    expect(await guarded.offersOf(key)).toHaveLength(1)
    await authorize(guarded, key, guarded.eur, false)
    expect(await guarded.offersOf(key)).toEqual([])
    expect(await guarded.holds(key, native)).toMatchObject({ buying: '0.0000000' })
    expect(await guarded.holds(key, guarded.eur)).toMatchObject({ selling: '0.0000000' })
  })
})

describe('a path payment', () => {
  it('sends exactly, or is received exactly, over two books', async () => {
    const other = await Market.open(lab)
    const [maker, from, to] = [
      await other.trader({ eur: '100', inr: '1000' }),
      await lab.funded(),
      await other.trader(),
    ]
    await other.succeed(maker, sell(other.eur, native, '100', '2'), sell(other.inr, other.eur, '1000', '0.1'))
    await other.succeed(
      from,
      send({ from: native, amount: '20', to, asset: other.inr, least: '100', path: [other.eur] }),
    )
    expect(await other.holds(to, other.inr)).toMatchObject({ balance: '100.0000000' })
    const before = await lab.nativeBalance(from.publicKey())
    await other.succeed(
      from,
      receive({ from: native, most: '9', to, asset: other.inr, amount: '45', path: [other.eur] }),
    )
    expect(await other.holds(to, other.inr)).toMatchObject({ balance: '145.0000000' })
    expect(Number(before) - Number(await lab.nativeBalance(from.publicKey()))).toBeCloseTo(9.00001, 6)
    const { records } = await lab.horizon.strictReceivePaths([native], other.inr, '10').call()
    expect(records).toMatchObject([
      { source_amount: '2.0000000', path: [{ asset_code: 'EUR' }], destination_amount: '10.0000000' },
    ])
    const sent = await lab.horizon.strictSendPaths(native, '2', [other.inr]).call()
    expect(sent.records).toMatchObject([{ destination_amount: '10.0000000' }])
  })

  it('takes a pool unless the book is better', async () => {
    const [other, member] = await pooled()
    const [from, to] = [await lab.funded(), await other.trader()]
    // The pool gives about 3.9 EUR for a lumen; the book gives two.
    await other.succeed(member, sell(other.eur, native, '100', '0.5'))
    await other.succeed(from, send({ from: native, amount: '1', to, asset: other.eur, least: '3' }))
    const [trade] = (await lab.horizon.trades().forAccount(from.publicKey()).call()).records
    expect(trade).toMatchObject({ trade_type: 'liquidity_pool' })
    await other.succeed(await other.trader({ eur: '100' }), sell(other.eur, native, '100', '0.1'))
    await other.succeed(from, send({ from: native, amount: '1', to, asset: other.eur, least: '10' }))
    expect(Number((await other.holds(to, other.eur))?.balance)).toBeGreaterThan(13)
  })
})

describe('a liquidity pool', () => {
  it('gives shares for deposits, their part for shares, and ends with its last line', async () => {
    const [other, member] = await pooled()
    const read = async () => (await lab.get(`/liquidity_pools/${poolOf(other)}`)).body
    expect(await read()).toMatchObject({
      total_shares: '200.0000000',
      total_trustlines: '1',
      reserves: [
        { asset: 'native', amount: '100.0000000' },
        { asset: `EUR:${other.issuer.publicKey()}`, amount: '400.0000000' },
      ],
    })
    await other.succeed(member, withdraw(other, '50', '25', '100'))
    expect(await read()).toMatchObject({ total_shares: '150.0000000' })
    const held = await lab.get(`/accounts?liquidity_pool=${poolOf(other)}`)
    expect(JSON.stringify(held.body)).toContain(member.publicKey())
    await other.succeed(
      member,
      withdraw(other, '150'),
      Operation.changeTrust({ asset: share(other), limit: '0' }),
    )
    expect((await lab.get(`/liquidity_pools/${poolOf(other)}`)).status).toBe(404)
    expect(await other.holds(member, other.eur)).toMatchObject({ balance: '1000.0000000' })
    expect((await lab.horizon.loadAccount(member.publicKey())).subentry_count).toBe(2)
  })

  it('turns the share of an account that may no longer hold its asset into claimable balances', async () => {
    const key = await guarded.lab.funded()
    await guarded.succeed(key, Operation.changeTrust({ asset: guarded.eur }))
    await authorize(guarded, key, guarded.eur, true)
    await guarded.succeed(
      guarded.issuer,
      Operation.payment({ asset: guarded.eur, amount: '100', destination: key.publicKey() }),
    )
    await guarded.succeed(
      key,
      Operation.changeTrust({ asset: share(guarded) }),
      deposit(guarded, '50', '100'),
    )
    await authorize(guarded, key, guarded.eur, false)
    const { records } = await lab.horizon.claimableBalances().claimant(key.publicKey()).call()
    expect(records.map(({ asset, amount }) => [asset.split(':')[0], amount]).sort()).toEqual([
      ['EUR', '100.0000000'],
      ['native', '50.0000000'],
    ])
    const { subentry_count, num_sponsoring } = await lab.horizon.loadAccount(key.publicKey())
    expect([subentry_count, num_sponsoring]).toEqual([1, 2])
  })
})
