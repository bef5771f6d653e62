import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimable,
  clawbackBalance,
  codesOf,
  data,
  keySigner,
  Laboratory,
  operation,
  options,
  unconditional,
} from './testing/laboratory.ts'
import { issued } from './testing/scenes.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

const account = Keypair.random().publicKey()
const eur = `credit_alphanum4&%asset_code=EUR&%asset_issuer=${account}`
const pair = (selling: string, buying: string) =>
  `selling_asset_type=${selling.replaceAll('%', 'selling_')}&buying_asset_type=${buying.replaceAll('%', 'buying_')}`

describe('refusals are those of Horizon:', () => {
  it.each([
    ['/accounts', 'invalid_accounts_params', undefined],
    [`/accounts?signer=${account}&sponsor=${account}`, 'invalid_accounts_params', undefined],
    ['/transactions/zz', 'bad_request', 'tx_id'],
    [`/transactions/${'AB'.repeat(32)}`, 'bad_request', 'tx_id'],
    ['/effects?cursor=abc', 'bad_request', 'cursor'],
    ['/ledgers?limit=201', 'bad_request', 'limit'],
    ['/offers/abc', 'bad_request', 'offer_id'],
    ['/offers?seller=abc', 'bad_request', 'seller'],
    ['/order_book', 'invalid_order_book', undefined],
    ['/order_book?selling_asset_type=native', 'invalid_order_book', undefined],
    [`/order_book?${pair(eur, 'native')}&limit=201`, 'invalid_order_book', undefined],
    ['/paths/strict-send', 'bad_request', 'source_asset_type'],
    ['/paths/strict-send?source_asset_type=native&source_amount=10', 'bad_request', undefined],
    [
      '/paths/strict-send?source_asset_type=native&source_amount=0&destination_assets=native',
      'bad_request',
      'source_amount',
    ],
    ['/paths/strict-receive', 'bad_request', 'destination_asset_type'],
    ['/trades?trade_type=other', 'bad_request', 'trade_type'],
    ['/trades?base_asset_type=native', 'bad_request', 'base_asset_type,counter_asset_type'],
    ['/trade_aggregations', 'bad_request', 'base_asset_type'],
    ['/liquidity_pools/zz', 'bad_request', 'liquidity_pool_id'],
    ['/liquidity_pools?reserves=zz', 'bad_request', 'reserves'],
  ])('%s', async (path, type, field) => {
    const { status, body } = await lab.get(path)
    expect([status, body['type']]).toEqual([400, `https://stellar.org/horizon-errors/${type}`])
    const extras: unknown = body['extras']
    expect(extras).toEqual(field && { invalid_field: field, reason: expect.any(String) })
  })

  it('clawing back a claimable balance of another issuer', async () => {
    const { issuer, holder, asset } = await issued(lab, { flags: 2 | 8 })
    await lab.succeed({
      source: holder.publicKey(),
      signers: [holder],
      operations: [operation(claimable(asset, 1n, [[issuer, unconditional]]))],
    })
    const { records } = await lab.horizon.claimableBalances().sponsor(holder.publicKey()).call()
    const refused = await lab.submit({
      source: holder.publicKey(),
      signers: [holder],
      operations: [operation(clawbackBalance(records[0]?.id ?? ''))],
    })
    expect(codesOf(refused)).toEqual({ transaction: 'tx_failed', operations: ['op_no_issuer'] })
  })
})

describe('a market without offers', () => {
  it('answers with the pair and no offers', async () => {
    expect((await lab.get(`/order_book?${pair('native', eur)}`)).body).toEqual({
      bids: [],
      asks: [],
      base: { asset_type: 'native' },
      counter: { asset_type: 'credit_alphanum4', asset_code: 'EUR', asset_issuer: account },
    })
  })

  it.each([
    `/paths/strict-send?source_asset_type=native&source_amount=1&destination_assets=EUR:${account}`,
    `/paths/strict-receive?destination_asset_type=native&destination_amount=1&source_account=${account}`,
    `/trade_aggregations?base_asset_type=native&counter_asset_type=native&resolution=60000`,
    `/accounts?sponsor=${account}`,
    '/liquidity_pools',
    '/offers',
  ])('has nothing at %s', async path => {
    const { status, body } = await lab.get(path)
    expect([status, body['_embedded']]).toEqual([200, { records: [] }])
  })

  it.each(['/offers/1', `/liquidity_pools/${'0'.repeat(64)}`])('does not know %s', async path => {
    expect((await lab.get(path)).status).toBe(404)
  })
})

describe('answers have the form of Horizon', () => {
  it('a link names its parameters in the order of the alphabet', async () => {
    await lab.funded()
    const { body } = await lab.get('/transactions?order=desc&limit=1')
    expect(JSON.stringify(body['_links'])).toMatch(/transactions\?cursor=\d*&limit=1&order=asc"/)
  })

  it('a page from now names the moment in its links', async () => {
    const { body } = await lab.get('/payments?cursor=now')
    expect(JSON.stringify(body['_links'])).toMatch(/cursor=\d+&/)
  })

  it('signers are in the order of their keys', async () => {
    const [key, ...signers] = [await lab.funded(), Keypair.random(), Keypair.random(), Keypair.random()]
    await lab.succeed({
      source: key.publicKey(),
      signers: [key],
      operations: signers.map(each => operation(options({ signer: { key: keySigner(each), weight: 1 } }))),
    })
    const { body } = await lab.get(`/accounts/${key.publicKey()}`)
    const shown = (body['signers'] as { key: string }[]).map(each => each.key)
    expect(shown).toEqual([key, ...signers].map(each => each.publicKey()).sort())
  })

  it('data is served raw to those who ask for bytes', async () => {
    const key = await lab.funded()
    await lab.succeed({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(data('name', 'välue'))],
    })
    const answer = await fetch(`${lab.network.url}/accounts/${key.publicKey()}/data/name`, {
      headers: { accept: 'application/octet-stream' },
    })
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(await answer.text()).toBe('välue')
  })

  it.each([
    ['/ledgers', 'image/png', 406],
    ['/ledgers', 'text/html,application/xml;q=0.9', 406],
    ['/ledgers', 'application/octet-stream', 406],
    ['/fee_stats', 'text/event-stream', 406],
    ['/offers', 'text/event-stream', 406],
    ['/ledgers', 'text/html,application/xml;q=0.9,*/*;q=0.8', 200],
    ['/ledgers', 'application/json', 200],
    ['/ledgers', '', 200],
  ])('%s for Accept: %s is %i', async (path, accept, expected) => {
    const answer = await fetch(`${lab.network.url}${path}`, { headers: { accept } })
    expect(answer.status).toBe(expected)
    const { type } = (await answer.json()) as { type?: string }
    expect(type).toBe(expected === 406 ? 'https://stellar.org/horizon-errors/not_acceptable' : undefined)
  })

  it.each([
    ['DELETE', '/accounts', 'GET'],
    ['HEAD', '/ledgers/1', 'GET'],
    ['PUT', '/transactions', 'GET, POST'],
    ['POST', '/fee_stats', 'GET'],
  ])('%s %s is 405 without a body', async (method, path, allow) => {
    const answer = await fetch(`${lab.network.url}${path}`, { method })
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([405, allow, ''])
  })

  it('the root names everything there is', async () => {
    const { body } = await lab.get('/')
    expect(Object.keys(body['_links'] as object)).toEqual(
      expect.arrayContaining(['offers', 'order_book', 'strict_send_paths', 'trades', 'liquidity_pools']),
    )
  })
})
