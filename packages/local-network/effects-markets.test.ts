import { Asset, Claimant, Keypair, LiquidityPoolAsset, Operation, type xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { poolIdOf } from './ledger/assets.ts'
import { Laboratory } from './testing/laboratory.ts'
import { lumens, Market, sell } from './testing/market.ts'

let lab: Laboratory
let market: Market
let names: Record<string, string>
beforeAll(async () => {
  lab = await Laboratory.open()
  market = await Market.open(lab, 2)
  names = { [market.issuer.publicKey()]: 'issuer' }
})
afterAll(() => lab.close())

const called = <T extends Keypair>(name: string, key: T): T => {
  names[key.publicKey()] = name
  return key
}

const common = new Set(['_links', 'id', 'paging_token', 'type_i', 'created_at'])

/** Effects in their order, with names for accounts and without what every effect has. */
async function effects(source: Keypair, operations: xdr.Operation[], signers = [source]) {
  const hash = await lab.succeed({ source: source.publicKey(), signers, operations })
  const { body } = await lab.get(`/transactions/${hash}/effects?limit=200`)
  let answer = JSON.stringify(body['_embedded'])
  for (const [address, name] of Object.entries(names)) answer = answer.replaceAll(address, name)
  const { records }: { records: Record<string, unknown>[] } = JSON.parse(answer)
  return records.map(record =>
    Object.fromEntries(Object.entries(record).filter(([field]) => !common.has(field))),
  )
}

const eur = (prefix = '') => ({
  [`${prefix}asset_type`]: 'credit_alphanum4',
  [`${prefix}asset_code`]: 'EUR',
  [`${prefix}asset_issuer`]: 'issuer',
})
const xlm = (prefix = '') => ({ [`${prefix}asset_type`]: 'native' })

/** A trade as both sides see it: EUR of the maker for lumens of the taker. */
const trade = (offer_id: unknown, amounts: { eur: string; xlm: string }) => [
  {
    account: 'taker',
    type: 'trade',
    seller: 'maker',
    offer_id,
    ...xlm('sold_'),
    sold_amount: amounts.xlm,
    ...eur('bought_'),
    bought_amount: amounts.eur,
  },
  {
    account: 'maker',
    type: 'trade',
    seller: 'taker',
    offer_id,
    ...eur('sold_'),
    sold_amount: amounts.eur,
    ...xlm('bought_'),
    bought_amount: amounts.xlm,
  },
]

describe('effects follow Horizon, in order and field by field:', () => {
  it('offers and path payments', async () => {
    const maker = called('maker', await market.trader({ eur: '100' }))
    const taker = called('taker', await market.trader())
    expect(await effects(maker, [sell(market.eur, lumens, '50', '2')])).toEqual([])
    const offer = (await market.offersOf(maker))[0]?.id
    expect(await effects(taker, [sell(lumens, market.eur, '10', '0.5')])).toEqual(
      trade(offer, { eur: '5.0000000', xlm: '10.0000000' }),
    )
    const path = Operation.pathPaymentStrictReceive({
      sendAsset: lumens,
      sendMax: '100',
      destination: market.issuer.publicKey(),
      destAsset: market.eur,
      destAmount: '3',
      path: [],
    })
    expect(await effects(taker, [path])).toEqual([
      { account: 'issuer', type: 'account_credited', ...eur(), amount: '3.0000000' },
      { account: 'taker', type: 'account_debited', ...xlm(), amount: '6.0000000' },
      ...trade(offer, { eur: '3.0000000', xlm: '6.0000000' }),
    ])
    // The maker sees them too, though neither operation is its own.
    const seen = await lab.horizon.effects().forAccount(maker.publicKey()).order('desc').limit(2).call()
    expect(seen.records.map(({ type }) => type)).toEqual(['trade', 'trade'])
    const own = await lab.horizon.operations().forAccount(maker.publicKey()).order('desc').limit(1).call()
    expect(own.records[0]).toMatchObject({ type: 'manage_sell_offer', amount: '50.0000000' })
  })

  it('sponsored entries, handed on and given back', async () => {
    const [sponsor, next] = [called('sponsor', await lab.funded()), called('next', await lab.funded())]
    const owner = called('owner', await lab.funded())
    const signer = called('signer', Keypair.random())
    const source = owner.publicKey()
    const begin = (of: Keypair) => Operation.beginSponsoringFutureReserves({ sponsoredId: of.publicKey() })
    const end = (of: Keypair) => Operation.endSponsoringFutureReserves({ source: of.publicKey() })
    const made = await effects(
      sponsor,
      [
        begin(owner),
        Operation.changeTrust({ asset: market.eur, source }),
        Operation.manageData({ name: 'note', value: 'x', source }),
        Operation.setOptions({ signer: { ed25519PublicKey: signer.publicKey(), weight: 1 }, source }),
        Operation.createClaimableBalance({
          asset: lumens,
          amount: '1',
          claimants: [new Claimant(next.publicKey())],
          source,
        }),
        end(owner),
      ],
      [sponsor, owner],
    )
    const account = 'owner'
    const balance = made.find(({ type }) => type === 'claimable_balance_created')
    const { balance_id } = balance ?? {}
    const held = { asset: 'native', balance_id, amount: '1.0000000' }
    const line = { asset_type: 'credit_alphanum4', asset: 'EUR:issuer' }
    expect(made).toEqual([
      { account, type: 'trustline_created', ...eur(), limit: '922337203685.4775807' },
      { account, type: 'trustline_sponsorship_created', ...line, sponsor: 'sponsor' },
      { account, type: 'data_created', name: 'note', value: 'eA==' },
      { account, type: 'data_sponsorship_created', data_name: 'note', sponsor: 'sponsor' },
      { account, type: 'signer_created', weight: 1, public_key: 'signer', key: '' },
      { account, type: 'signer_sponsorship_created', signer: 'signer', sponsor: 'sponsor' },
      { account, type: 'claimable_balance_created', ...held },
      {
        account: 'next',
        type: 'claimable_balance_claimant_created',
        ...held,
        predicate: { unconditional: true },
      },
      { account, type: 'account_debited', ...xlm(), amount: '1.0000000' },
      { account, type: 'claimable_balance_sponsorship_created', balance_id, sponsor: 'sponsor' },
    ])
    const revoke = {
      line: Operation.revokeTrustlineSponsorship({
        account: source,
        asset: market.eur,
        source: sponsor.publicKey(),
      }),
      signer: Operation.revokeSignerSponsorship({
        account: source,
        signer: { ed25519PublicKey: signer.publicKey() },
        source: sponsor.publicKey(),
      }),
      data: Operation.revokeDataSponsorship({ account: source, name: 'note' }),
    }
    expect(
      await effects(next, [begin(sponsor), revoke.line, revoke.signer, end(sponsor)], [next, sponsor]),
    ).toEqual([
      {
        account,
        type: 'trustline_sponsorship_updated',
        ...line,
        former_sponsor: 'sponsor',
        new_sponsor: 'next',
      },
      {
        account,
        type: 'signer_sponsorship_updated',
        signer: 'signer',
        former_sponsor: 'sponsor',
        new_sponsor: 'next',
      },
    ])
    expect(await effects(sponsor, [revoke.data])).toEqual([
      { account: 'sponsor', type: 'data_sponsorship_removed', data_name: 'note', former_sponsor: 'sponsor' },
    ])
  })

  it('liquidity pools, from their first line to their last', async () => {
    const member = called('member', await market.trader({ eur: '400' }))
    const id = poolIdOf('native', `EUR:${market.issuer.publicKey()}`)
    const account = 'member'
    const share = new LiquidityPoolAsset(Asset.native(), market.eur, 30)
    const pool = (a: string, b: string, shares: string) => ({
      id,
      fee_bp: 30,
      type: 'constant_product',
      total_trustlines: '1',
      total_shares: shares,
      reserves: reserves(a, b),
    })
    const reserves = (a: string, b: string) => [
      { asset: 'native', amount: a },
      { asset: 'EUR:issuer', amount: b },
    ]
    expect(await effects(member, [Operation.changeTrust({ asset: share, limit: '1000' })])).toEqual([
      {
        account,
        type: 'trustline_created',
        asset_type: 'liquidity_pool_shares',
        liquidity_pool_id: id,
        limit: '1000.0000000',
      },
      {
        account,
        type: 'liquidity_pool_created',
        liquidity_pool: pool('0.0000000', '0.0000000', '0.0000000'),
      },
    ])
    const deposit = Operation.liquidityPoolDeposit({
      liquidityPoolId: id,
      maxAmountA: '100',
      maxAmountB: '400',
      minPrice: '0.1',
      maxPrice: '10',
    })
    expect(await effects(member, [deposit])).toEqual([
      {
        account,
        type: 'liquidity_pool_deposited',
        liquidity_pool: pool('100.0000000', '400.0000000', '200.0000000'),
        reserves_deposited: reserves('100.0000000', '400.0000000'),
        shares_received: '200.0000000',
      },
    ])
    const withdraw = Operation.liquidityPoolWithdraw({
      liquidityPoolId: id,
      amount: '100',
      minAmountA: '50',
      minAmountB: '200',
    })
    expect(await effects(member, [withdraw])).toEqual([
      {
        account,
        type: 'liquidity_pool_withdrew',
        liquidity_pool: pool('50.0000000', '200.0000000', '100.0000000'),
        reserves_received: reserves('50.0000000', '200.0000000'),
        shares_redeemed: '100.0000000',
      },
    ])
    const freeze = Operation.setTrustLineFlags({
      trustor: member.publicKey(),
      asset: market.eur,
      flags: { authorized: false },
    })
    const types = (await effects(market.issuer, [freeze])).map(({ account, type }) => [account, type])
    expect(types).toEqual([
      ['issuer', 'trustline_flags_updated'],
      ['issuer', 'claimable_balance_created'],
      ['member', 'claimable_balance_claimant_created'],
      ['issuer', 'claimable_balance_created'],
      ['member', 'claimable_balance_claimant_created'],
      ['issuer', 'liquidity_pool_revoked'],
      ['issuer', 'claimable_balance_sponsorship_created'],
      ['issuer', 'claimable_balance_sponsorship_created'],
      ['issuer', 'liquidity_pool_removed'],
    ])
  })
})
