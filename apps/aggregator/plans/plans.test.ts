import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { amountOf } from '@windlass/money/amount.ts'
import { conversionsFrom } from './conversions.ts'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'

let aggregator: TestAggregator
let server: AnchorServer

const issuerOf = (letter: string) => `G${letter.repeat(55)}`
const [INR_ISSUER, EUR_ISSUER, SHARED] = ['A', 'B', 'C'].map(issuerOf) as [string, string, string]
const wish = {
  amount: '10000',
  from: { currency: 'inr', rail: 'upi', region: 'in' },
  to: { currency: 'EUR', rail: 'SEPA' },
}
const plan = (changes: object = {}) => aggregator.post('/transfer-plans', { ...wish, ...changes })

/** What Horizon answers for one unit of the deposit's asset; null: no path. */
let converts: (amount: number) => object[]

/** Horizon, with the paths that `converts` says. */
function horizonAnswers(): void {
  server.on('/', json({ network_passphrase: TEST_NETWORK }))
  server.on('/paths/strict-send', (request, response) => {
    const { searchParams } = new URL(request.url ?? '', server.url)
    json({ _embedded: { records: converts(Number(searchParams.get('source_amount'))) } })(request, response)
  })
}

/** An anchor that takes and pays out the same asset. */
const registerBoth = () =>
  aggregator.register({
    apiUrl: server.url,
    id: 'both',
    slug: 'both',
    rails: ['UPI', 'SEPA'],
    regions: ['IN', 'DE'],
    assets: [{ code: 'EUR', issuer: SHARED, anchoredTo: 'INR' }],
    fees: { fixed: '0', percentage: '0.5' },
  })

beforeAll(async () => {
  server = await startAnchorServer()
  server.on('/health', json({ status: 'ok' }))
  horizonAnswers()
  aggregator = await testAggregator({ env: { HORIZON_URL: server.url } })
  const common = { apiUrl: server.url }
  // Sells RUPEE, pegged to INR, over UPI: 10,000 INR buy (10000 - 10) / 1.01 units.
  await aggregator.register({
    ...common,
    id: 'mumbai',
    slug: 'mumbai',
    assets: [{ code: 'RUPEE', issuer: INR_ISSUER, anchoredTo: 'INR' }],
    fees: { fixed: '10', percentage: '0.01' },
  })
  await aggregator.register({
    ...common,
    id: 'berlin',
    slug: 'berlin',
    regions: ['DE'],
    rails: ['SEPA'],
    assets: [{ code: 'EURO', issuer: EUR_ISSUER, anchoredTo: 'EUR' }],
    fees: { fixed: '0.5', percentage: '0' },
  })
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})
beforeEach(() => {
  converts = amount => [
    {
      destination_asset_type: 'credit_alphanum4',
      destination_asset_code: 'EURO',
      destination_asset_issuer: EUR_ISSUER,
      destination_amount: (amount * 0.01).toFixed(7),
      path: [{ asset_type: 'native' }],
    },
  ]
})

describe('a transfer plan', () => {
  it('joins two anchors by a path on the ledger, prices the whole, and can be read again', async () => {
    const { status, body } = await plan()
    expect(status).toBe(201)
    expect(body.plans).toHaveLength(1)
    const [best] = body.plans
    // (10000 - 10) / 1.01, with a fee of 10 + 1 %.
    expect(best.deposit).toMatchObject({
      anchorId: 'mumbai',
      buyAmount: '9891.0891089',
      sellAmount: '10000',
      fee: { fixed: '10', total: '108.9108911' },
    })
    expect(best.conversion).toEqual({
      sendAsset: `RUPEE:${INR_ISSUER}`,
      sendAmount: '9891.0891089',
      destinationAsset: `EURO:${EUR_ISSUER}`,
      destinationAmount: '98.9108911',
      path: ['native'],
    })
    // Less the fee of 0.5, rounded down to cents.
    expect(best.withdrawal).toMatchObject({
      anchorId: 'berlin',
      sellAmount: '98.9108911',
      buyAmount: '98.41',
    })
    expect([best.received, best.rate]).toEqual(['98.41', '0.009841'])
    expect(body.reasoning).toContain('become 98.9108911 EURO by path')
    // Strangers' plans must not use up the requests that customers and payments need.
    expect(server.requests.filter(({ line }) => line === 'GET /paths/strict-send').at(-1)).toMatchObject({
      headers: { priority: 'u=7' },
    })
    const read = await aggregator.get(`/transfer-plans/${body.id}`)
    expect(read.body).toEqual(body)
    expect((await aggregator.get('/transfer-plans/nothing')).status).toBe(404)
  })

  it('asks the ledger with the asset that the deposit brings, for the assets that are paid out', async () => {
    let asked = new URLSearchParams()
    server.on('/', json({ network_passphrase: TEST_NETWORK }))
    server.on('/paths/strict-send', (request, response) => {
      asked = new URL(request.url ?? '', server.url).searchParams
      json({ _embedded: { records: converts(Number(asked.get('source_amount'))) } })(request, response)
    })
    await plan()
    expect(Object.fromEntries(asked)).toEqual({
      source_asset_type: 'credit_alphanum12',
      source_asset_code: 'RUPEE',
      source_asset_issuer: INR_ISSUER,
      source_amount: '9891.0891089',
      destination_assets: `EURO:${EUR_ISSUER}`,
    })
  })

  it('asks for XLM as the ledger calls it, and gives it the name of the registry', async () => {
    const asked: URLSearchParams[] = []
    server.on('/paths/strict-send', (request, response) => {
      asked.push(new URL(request.url ?? '', server.url).searchParams)
      const found = { destination_asset_type: 'native', destination_amount: '5', path: [] }
      json({ _embedded: { records: [found] } })(request, response)
    })
    const find = conversionsFrom({ url: server.url, passphrase: TEST_NETWORK })
    const rupee = `RUPEE:${INR_ISSUER}`
    expect(await find(rupee, amountOf(1n), ['XLM:native'])).toMatchObject([{ from: rupee, to: 'XLM:native' }])
    await find('XLM:native', amountOf(1n), [rupee])
    expect(asked.map(query => [query.get('source_asset_type'), query.get('destination_assets')])).toEqual([
      ['credit_alphanum12', 'native'],
      ['native', rupee],
    ])
    horizonAnswers()
  })

  it('prefers what pays out the most: a shared asset where the path is worse, and the other way round', async () => {
    for (const [id, rails, regions] of [
      ['shared-in', ['UPI'], ['IN']],
      ['shared-out', ['SEPA'], ['DE']],
    ] as const) {
      await aggregator.register({
        apiUrl: server.url,
        id,
        slug: id,
        rails: [...rails],
        regions: [...regions],
        // One INR and one EUR for a unit: only a test has such an asset.
        assets: [{ code: id === 'shared-in' ? 'INR' : 'EUR', issuer: SHARED, anchoredTo: 'EUR' }],
        fees: { fixed: '0', percentage: '0' },
      })
    }
    await registerBoth()
    const { body } = await plan({ amount: '100' })
    const [first, second] = body.plans
    // 100 INR buy 66.6666666 units for a fee of half of them; half of that is paid out.
    expect([first.received, first.conversion, first.deposit.anchorId, first.withdrawal.anchorId]).toEqual([
      '66.66',
      undefined,
      'both',
      'shared-out',
    ])
    expect(Number(second.received)).toBeLessThan(66.66)
    for (const id of ['shared-in', 'shared-out', 'both']) await aggregator.write('DELETE', `/anchors/${id}`)
  })

  it('says why there is none: no deposit, no payout, no path, limits and capacity', async () => {
    const refused = async (changes: object) => {
      const { status, body } = await plan(changes)
      return `${status} ${body.code}: ${body.detail}`
    }
    expect(await refused({ from: { currency: 'INR', rail: 'NEFT' } })).toMatch(
      /^404 no-eligible-anchor: No anchor takes a deposit of 10000 INR over NEFT/,
    )
    expect(await refused({ to: { currency: 'BRL', rail: 'PIX', region: 'BR' } })).toMatch(
      /No anchor pays out BRL over PIX in BR/,
    )
    // 5 INR are less than the fee; 200,000 more than the treasury has.
    expect(await refused({ amount: '5' })).toMatch(/No anchor takes a deposit/)
    expect(await refused({ amount: '200000' })).toMatch(/No anchor takes a deposit/)
    expect(await refused({ amount: '-1' })).toMatch(/^400 validation-failed: amount must be greater/)
    converts = () => []
    expect(await refused({})).toMatch(/No asset leads from UPI in IN to SEPA/)
  })

  /** What Horizon does when it has too much to do. */
  const busy = {
    'limits rates': response => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
    'limits rates and does not say until when': response => response.writeHead(429).end(),
    fails: response => response.writeHead(500).end('{}'),
    'answers with a page': response => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
    'says yes with a page': response => response.writeHead(200).end('<html>'),
    'has a page without an end': response => response.writeHead(200).end(Buffer.alloc(600_000, ' ')),
    hangs: () => undefined,
  } satisfies Record<string, (response: ServerResponse) => unknown>

  it.each(Object.entries(busy))(
    'says what is waited for where Horizon %s, and is there at once when it answers',
    async (_mood, answer) => {
      for (const path of ['/', '/paths/strict-send'])
        server.on(path, (_request, response) => void answer(response))
      const refused = await plan()
      expect([refused.status, refused.body.code]).toEqual([503, 'dependency-unavailable'])
      expect(refused.body.detail).toContain('The Stellar network')
      // What needs no path is planned all the same.
      await registerBoth()
      const shared = await plan()
      expect([shared.status, shared.body.plans?.length]).toEqual([201, 1])
      expect(shared.body.reasoning).toContain('No paths on the ledger are known')
      await aggregator.write('DELETE', '/anchors/both')
      horizonAnswers()
      expect((await plan()).status).toBe(201)
    },
  )
})
