import { Asset, AuthRevocableFlag, Claimant, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { codesOf, Laboratory } from './testing/laboratory.ts'
import { deposit, lumens, Market, pooled, receive, sell, send, withdraw } from './testing/market.ts'

let lab: Laboratory
let issuer: Keypair
let holder: Keypair
let other: Keypair
let usd: Asset
beforeAll(async () => {
  lab = await Laboratory.open()
  ;[issuer, holder, other] = [await lab.funded(), await lab.funded(), await lab.funded()]
  usd = new Asset('USD', issuer.publicKey())
  for (const each of [holder, other]) await succeed(each, Operation.changeTrust({ asset: usd }))
  for (const each of [holder, other]) await succeed(issuer, pay(each, '10', usd))
})
afterAll(() => lab.close())

const pay = (to: Keypair, amount: string, asset = Asset.native()): xdr.Operation =>
  Operation.payment({ asset, amount, destination: to.publicKey() })
const freeze = (...frozen: string[]) => lab.network.setFaults({ frozen })
const draft = (by: Keypair, operation: xdr.Operation) => ({
  ...{ source: by.publicKey(), operations: [operation], signers: [by] },
})
const succeed = (by: Keypair, operation: xdr.Operation) => lab.succeed(draft(by, operation))
const codes = async (by: Keypair, operation: xdr.Operation) => codesOf(await lab.submit(draft(by, operation)))
const assetOf = ({ asset_code: code, asset_issuer: by }: { asset_code?: string; asset_issuer?: string }) =>
  code === undefined ? lumens : new Asset(code, by)
const FROZEN = { transaction: 'tx_frozen_key_accessed' }

it('a frozen account neither pays nor is paid, and pays no fee', async () => {
  await freeze(holder.publicKey())
  const before = await lab.nativeBalance(holder.publicKey())
  expect(await codes(holder, pay(other, '1'))).toEqual(FROZEN)
  expect(await codes(other, pay(holder, '1'))).toEqual(FROZEN)
  expect(await codes(other, Operation.accountMerge({ destination: holder.publicKey() }))).toEqual(FROZEN)
  expect(await lab.nativeBalance(holder.publicKey())).toBe(before)
  // Its line is another entry.
  await succeed(other, pay(holder, '1', usd))
  await freeze()
  await succeed(other, pay(holder, '1'))
})

it('a frozen line holds what it holds, and no balance is claimed into it', async () => {
  const claimants = [new Claimant(holder.publicKey())]
  await succeed(issuer, Operation.createClaimableBalance({ asset: usd, amount: '1', claimants }))
  const { records } = await lab.horizon.claimableBalances().claimant(holder.publicKey()).call()
  await freeze(`${holder.publicKey()} USD:${issuer.publicKey()}`)
  expect(await codes(holder, pay(other, '1', usd))).toEqual(FROZEN)
  expect(await codes(other, pay(holder, '1', usd))).toEqual(FROZEN)
  const from = { asset: usd, amount: '1', from: holder.publicKey() }
  expect(await codes(issuer, Operation.clawback(from))).toEqual(FROZEN)
  const claim = Operation.claimClaimableBalance({ balanceId: records[0]?.id ?? '' })
  expect(await codes(holder, claim)).toEqual({
    ...{ transaction: 'tx_failed', operations: ['op_trustline_frozen'] },
  })
  await succeed(holder, pay(other, '1'))
  await freeze()
})

describe('offers of frozen accounts and lines', () => {
  let market: Market
  let maker: Keypair
  let taker: Keypair
  beforeAll(async () => {
    market = await Market.open(lab, AuthRevocableFlag)
    ;[maker, taker] = [await market.trader({ eur: '100' }), await market.trader({ inr: '100' })]
  })
  afterEach(async () => {
    await freeze()
    for (const each of [maker, taker])
      for (const { id, selling, buying } of await market.offersOf(each))
        await market.succeed(each, sell(assetOf(selling), assetOf(buying), '0', '1', String(id)))
  })

  const line = (of: Keypair, { code, issuer: by }: Asset) => `${of.publicKey()} ${code}:${by}`
  const eurOf = (of: Keypair) => market.holds(of, market.eur)
  const before = { balance: '100.0000000', selling: '0.0000000', buying: '0.0000000' }

  it('are removed instead of being crossed, and set free what they bound', async () => {
    const { eur, inr } = market
    const holds = { 'what it sells': eur, 'what it buys': inr }
    for (const [side, asset] of Object.entries(holds)) {
      await market.succeed(maker, sell(eur, inr, '10', '1'))
      const second = await market.trader({ eur: '10' })
      await market.succeed(second, sell(eur, inr, '2', '2'))
      await freeze(line(maker, asset))
      expect(await market.codes(taker, [sell(inr, eur, '4', '0.5')]), side).toBe('success')
      expect(await eurOf(maker), side).toEqual(before)
      expect(await market.offersOf(maker), side).toEqual([])
      expect(await eurOf(second), side).toMatchObject({ balance: '8.0000000' })
      expect(await market.offersOf(taker), side).toEqual([])
      await freeze()
    }
  })

  it('leave a path nothing to cross, and the book as it was', async () => {
    const { eur, inr } = market
    await market.succeed(maker, sell(eur, inr, '10', '1'))
    await freeze(line(maker, eur))
    const path = send({ from: inr, amount: '1', to: taker, asset: eur, least: '1' })
    expect(await market.codes(taker, [path])).toEqual(['op_too_few_offers'])
    const exact = receive({ from: inr, most: '9', to: taker, asset: eur, amount: '1' })
    expect(await market.codes(taker, [exact])).toEqual(['op_too_few_offers'])
    expect(await market.offersOf(maker)).toHaveLength(1)
  })

  it('for XLM are removed where the account is frozen, with its subentry', async () => {
    const { eur } = market
    await market.succeed(maker, sell(lumens, eur, '10', '1'))
    const { subentry_count: entries } = await lab.horizon.loadAccount(maker.publicKey())
    await freeze(maker.publicKey())
    await market.succeed(await market.trader({ eur: '5' }), sell(eur, lumens, '5', '1'))
    expect(await market.offersOf(maker)).toEqual([])
    expect((await lab.horizon.loadAccount(maker.publicKey())).subentry_count).toBe(entries - 1)
  })

  it('stay where they ask for more than is given', async () => {
    const { eur, inr } = market
    await market.succeed(maker, sell(eur, inr, '10', '3'))
    await freeze(line(maker, eur))
    await market.succeed(taker, sell(inr, eur, '1', '1'))
    expect(await market.offersOf(maker)).toHaveLength(1)
  })

  it('are removed where the line is revoked, and a frozen line is not revoked', async () => {
    const { eur } = market
    await market.succeed(maker, sell(eur, lumens, '10', '1'))
    await freeze(line(maker, eur))
    const allow = Operation.allowTrust({ trustor: maker.publicKey(), assetCode: 'EUR', authorize: 0 })
    expect(await market.codes(market.issuer, [allow])).toBe('tx_frozen_key_accessed')
    await freeze(maker.publicKey())
    await market.authorize(maker, eur, false)
    expect(await market.offersOf(maker)).toEqual([])
    await market.authorize(maker, eur, true)
  })
})

it('a pool neither takes from a frozen line nor pays into it', async () => {
  const [market, holder] = await pooled(lab)
  await freeze(`${holder.publicKey()} EUR:${market.issuer.publicKey()}`)
  for (const each of [deposit(market, '1', '4'), withdraw(market, '1')])
    expect(await market.codes(holder, [each])).toEqual(['op_trustline_frozen'])
  await freeze()
  await market.succeed(holder, deposit(market, '1', '4'))
})

it('nothing is frozen before protocol 26', async () => {
  const before = await Laboratory.open({ protocol: 25 })
  try {
    const [one, two] = [await before.funded(), await before.funded()]
    await before.network.setFaults({ frozen: [one.publicKey()] })
    const hash = await before.succeed({
      ...{ source: one.publicKey(), operations: [pay(two, '1')], signers: [one] },
    })
    expect(hash).toHaveLength(64)
  } finally {
    await before.close()
  }
})

it('what is frozen is named in its form', () => {
  expect(() => freeze('everybody')).toThrow('faults.frozen')
})
