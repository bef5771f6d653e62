import { Operation } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Laboratory } from './testing/laboratory.ts'
import {
  buy,
  deposit,
  lumens,
  Market,
  passive,
  pooled,
  poolOf,
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
    await other.succeed(dear, sell(other.eur, lumens, '10', '3'))
    await other.succeed(cheap, sell(other.eur, lumens, '10', '2'))
    await other.succeed(taker, buy(lumens, other.eur, '25', '3'))
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '20.0000000', buying: '5.0000000' })
    const { bids, asks } = await lab.horizon.orderbook(other.eur, lumens).call()
    expect([bids, asks]).toEqual([
      [{ price_r: { n: 3, d: 1 }, price: '3.0000000', amount: '15.0000000' }],
      [],
    ])
    const { records } = await lab.horizon.trades().forAssetPair(other.eur, lumens).call()
    expect(records.map(({ price }) => price)).toEqual([
      { n: '2', d: '1' },
      { n: '3', d: '1' },
    ])
  })

  it('of the passive kind does not take one of the same price', async () => {
    const other = await Market.open(lab)
    const [one, two] = [await other.trader({ eur: '10' }), await other.trader()]
    await other.succeed(one, passive(other.eur, lumens, '10', '2'))
    await other.succeed(two, passive(lumens, other.eur, '10', '0.5'))
    expect(await other.holds(two, other.eur)).toMatchObject({ balance: '0.0000000', buying: '5.0000000' })
    await other.succeed(two, sell(lumens, other.eur, '10', '0.5'))
    expect(await other.holds(two, other.eur)).toMatchObject({ balance: '5.0000000' })
  })

  it('rounds in favour of the offer that stays', async () => {
    const other = await Market.open(lab)
    const [maker, taker] = [await other.trader({ eur: '1' }), await other.trader()]
    await other.succeed(maker, sell(other.eur, lumens, '0.0000100', { n: 3, d: 2 }))
    await other.succeed(taker, buy(lumens, other.eur, '0.0000051', '2'))
    // 5.1 at 1.5 is 7.65: the maker, whose offer stays, gets the fraction.
    expect(await other.holds(taker, other.eur)).toMatchObject({ balance: '0.0000051' })
    const [trade] = (await lab.horizon.trades().forAssetPair(other.eur, lumens).call()).records
    expect(trade).toMatchObject({ base_amount: '0.0000051', counter_amount: '0.0000077' })
  })

  it('ends when its maker may no longer hold what it sells', async () => {
    const key = await guarded.lab.funded()
    await guarded.succeed(key, Operation.changeTrust({ asset: guarded.eur }))
    await guarded.authorize(key, guarded.eur, true)
    await guarded.succeed(
      guarded.issuer,
      Operation.payment({ asset: guarded.eur, amount: '10', destination: key.publicKey() }),
    )
    await guarded.succeed(key, sell(guarded.eur, lumens, '10', '2'))
    await guarded.authorize(key, guarded.eur, false, true)
    expect(await guarded.offersOf(key)).toHaveLength(1)
    await guarded.authorize(key, guarded.eur, false)
    expect(await guarded.offersOf(key)).toEqual([])
    expect(await guarded.holds(key, lumens)).toMatchObject({ buying: '0.0000000' })
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
    await other.succeed(maker, sell(other.eur, lumens, '100', '2'), sell(other.inr, other.eur, '1000', '0.1'))
    await other.succeed(
      from,
      send({ from: lumens, amount: '20', to, asset: other.inr, least: '100', path: [other.eur] }),
    )
    expect(await other.holds(to, other.inr)).toMatchObject({ balance: '100.0000000' })
    const before = await lab.nativeBalance(from.publicKey())
    await other.succeed(
      from,
      receive({ from: lumens, most: '9', to, asset: other.inr, amount: '45', path: [other.eur] }),
    )
    expect(await other.holds(to, other.inr)).toMatchObject({ balance: '145.0000000' })
    expect(Number(before) - Number(await lab.nativeBalance(from.publicKey()))).toBeCloseTo(9.00001, 6)
    const { records } = await lab.horizon.strictReceivePaths([lumens], other.inr, '10').call()
    expect(records).toMatchObject([
      { source_amount: '2.0000000', path: [{ asset_code: 'EUR' }], destination_amount: '10.0000000' },
    ])
    const sent = await lab.horizon.strictSendPaths(lumens, '2', [other.inr]).call()
    expect(sent.records).toMatchObject([{ destination_amount: '10.0000000' }])
  })

  it('takes a pool unless the book is better', async () => {
    const [other, member] = await pooled(lab)
    const [from, to] = [await lab.funded(), await other.trader()]
    // The pool gives about 3.9 EUR for a lumen; the book gives two.
    await other.succeed(member, sell(other.eur, lumens, '100', '0.5'))
    await other.succeed(from, send({ from: lumens, amount: '1', to, asset: other.eur, least: '3' }))
    const [trade] = (await lab.horizon.trades().forAccount(from.publicKey()).call()).records
    expect(trade).toMatchObject({ trade_type: 'liquidity_pool' })
    await other.succeed(await other.trader({ eur: '100' }), sell(other.eur, lumens, '100', '0.1'))
    await other.succeed(from, send({ from: lumens, amount: '1', to, asset: other.eur, least: '10' }))
    expect(Number((await other.holds(to, other.eur))?.balance)).toBeGreaterThan(13)
  })
})

describe('a liquidity pool', () => {
  it('gives shares for deposits, their part for shares, and ends with its last line', async () => {
    const [other, member] = await pooled(lab)
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
    await guarded.authorize(key, guarded.eur, true)
    await guarded.succeed(
      guarded.issuer,
      Operation.payment({ asset: guarded.eur, amount: '100', destination: key.publicKey() }),
    )
    await guarded.succeed(
      key,
      Operation.changeTrust({ asset: share(guarded) }),
      deposit(guarded, '50', '100'),
    )
    await guarded.authorize(key, guarded.eur, false)
    const { records } = await lab.horizon.claimableBalances().claimant(key.publicKey()).call()
    expect(records.map(({ asset, amount }) => [asset.split(':')[0], amount]).sort()).toEqual([
      ['EUR', '100.0000000'],
      ['native', '50.0000000'],
    ])
    const { subentry_count, num_sponsoring } = await lab.horizon.loadAccount(key.publicKey())
    expect([subentry_count, num_sponsoring]).toEqual([1, 2])
  })
})
