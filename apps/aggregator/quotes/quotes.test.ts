import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { createMemoryRate } from '@windlass/service/http/rates.ts'
import { PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ISSUER, testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

let aggregator: TestAggregator
let server: AnchorServer
const clock = fakeClock()
const PROXY_SECRET = 'proxy-secret-of-the-tests-0123456789'

beforeAll(async () => {
  aggregator = await testAggregator({ clock, env: { PROXY_SECRET } })
  server = await startAnchorServer()
  server.on('/health', json({ status: 'ok' }))
  const apiUrl = server.url
  await aggregator.register({ id: 'standard', slug: 'standard', apiUrl })
  await aggregator.register({
    id: 'dear',
    apiUrl,
    fees: { fixed: '2', percentage: '0.01' },
    limits: { min: '10', max: '500' },
  })
  await aggregator.register({
    id: 'rupee',
    apiUrl,
    assets: [{ code: 'INRT', issuer: ISSUER, anchoredTo: 'INR' }],
  })
  await aggregator.register({
    id: 'euro',
    apiUrl,
    assets: [{ code: 'EURT', issuer: ISSUER, anchoredTo: 'EUR' }],
  })
  await aggregator.register({ id: 'down' })
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})

const wish = { amount: '100', currency: 'INR', asset: 'USDC', rail: 'UPI' }

describe('one client’s requests', () => {
  it('are bounded together, and those beyond store no quote and no decision', async () => {
    const { clientRate } = aggregator.deps
    onTestFinished(() => void (aggregator.deps.clientRate = clientRate))
    aggregator.deps.clientRate = createMemoryRate('few-requests', 3, 60)
    const from = (address: string) => ({ 'x-forwarded-for': address, [PROXY_SECRET_HEADER]: PROXY_SECRET })
    const [greedy, other] = [from('203.0.113.90'), from('203.0.113.91')]
    const quoted = await aggregator.post('/quotes', wish, greedy)
    expect(quoted.status).toBe(201)
    expect(quoted.headers).not.toHaveProperty('ratelimit')
    expect((await aggregator.post('/quotes/compare', wish, greedy)).status).toBe(200)
    expect((await aggregator.get(`/quotes/${quoted.body.id}`, greedy)).status).toBe(200)
    const stored = async () => {
      const { rows } = await aggregator.deps.database.pool.query('select count(*)::int as count from quotes')
      return rows[0].count as number
    }
    const before = await stored()
    for (const path of ['/quotes', '/quotes/compare', '/route', '/transactions/start']) {
      const refused = await aggregator.post(path, wish, greedy)
      expect(refused).toMatchObject({ status: 429, body: { code: 'too-many-requests' } })
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await aggregator.get(`/quotes/${quoted.body.id}`, greedy)).status).toBe(429)
    expect(await stored()).toBe(before)
    expect((await aggregator.get('/anchors', greedy)).status).toBe(200)
    expect((await aggregator.post('/quotes', wish, other)).status).toBe(201)
  })
})

describe('POST /quotes', () => {
  it('prices fee, rate and total exactly and stores the quote', async () => {
    const { status, body } = await aggregator.post('/quotes', wish)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      anchorId: 'standard',
      amount: '100',
      currency: 'INR',
      asset: 'USDC',
      rail: 'UPI',
      fxRate: '88.5',
      fee: { fixed: '0.5', percentage: '0.005', variable: '0.5', total: '1' },
      sellAmount: '8938.5',
      buyAmount: '100',
      firm: false,
      status: 'open',
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-01T12:05:00.000Z',
    })
    expect(body.reasoning).toContain('0.5 + 100 × 0.005 = 1 USDC')
    expect((await aggregator.get(`/quotes/${body.id}`)).body).toEqual(body)
  })

  it('is at the rate with the anchor’s spread, where something is exchanged', async () => {
    const spread = { deposit: '0.02', withdrawal: '0.01' }
    await aggregator.register({ id: 'spreading', apiUrl: server.url, rails: ['RTGS'], spread })
    expect((await aggregator.get('/anchors/spreading')).body.anchor).toMatchObject({ spread })
    const over = { ...wish, rail: 'RTGS' }
    expect((await aggregator.post('/quotes', over)).body.fxRate).toBe('90.27')
    expect((await aggregator.post('/quotes', { ...over, currency: 'USD' })).body.fxRate).toBe('1')
  })

  it('rounds half up to the seventh digit', async () => {
    const { body } = await aggregator.post('/quotes', { ...wish, amount: '1.0000001' })
    // 1.0000001 × 0.005 = 0.0050000005 → 0.0050001? no: 0.0050000|005 → 0.0050000
    expect(body.fee.variable).toBe('0.005')
    // (1.0000001 + 0.505) × 88.5 = 133.19250885 → half up at the seventh digit
    expect(body.sellAmount).toBe('133.1925089')
  })

  it('goes by its other name, with a number, in any case and by other field names', async () => {
    const quote = await aggregator.post('/quote', {
      amount: 100,
      currency: 'inr',
      asset: 'usdc',
      rail: 'upi',
    })
    expect([quote.status, quote.body.sellAmount]).toEqual([201, '8938.5'])
    const named = await aggregator.post('/quotes', {
      transactionAmount: '100',
      currencyPair: 'INR/USDC',
      paymentRail: 'UPI',
    })
    expect([named.status, named.body.sellAmount]).toEqual([201, '8938.5'])
  })

  it('quotes the anchor that is asked for', async () => {
    const { body } = await aggregator.post('/quotes', { ...wish, anchorId: 'dear' })
    expect(body).toMatchObject({ anchorId: 'dear', fee: { total: '3' } })
    const bySlug = await aggregator.post('/quotes', { ...wish, anchorId: 'standard' })
    expect(bySlug.body.anchorId).toBe('standard')
  })

  it('takes the currency an asset is anchored to at 1', async () => {
    for (const [asset, currency] of [
      ['USDC', 'USD'],
      ['USDC', 'USDC'],
      ['INRT', 'INR'],
      ['EURT', 'eur'],
    ]) {
      const { body } = await aggregator.post('/quotes', { ...wish, asset, currency })
      expect([asset, currency, body.fxRate]).toEqual([asset, currency, '1'])
    }
  })

  it.each([
    ['USDC', 'JPY'],
    ['INRT', 'USD'],
    ['EURT', 'INR'],
  ])('refuses the pair %s/%s, for which there is no rate', async (asset, currency) => {
    const { status, body } = await aggregator.post('/quotes', { ...wish, asset, currency })
    expect([status, body.code]).toEqual([400, 'unsupported-pair'])
  })

  it('refuses an amount outside all limits, naming them', async () => {
    for (const amount of ['0.5', '1000001']) {
      const { status, body } = await aggregator.post('/quotes', { ...wish, amount, treasury: 1 })
      expect([status, body.code, amount === '0.5' ? body.errors?.[0]?.path : 'amount']).toEqual(
        amount === '0.5' ? [400, 'validation-failed', 'amount'] : [404, 'no-eligible-anchor', 'amount'],
      )
    }
    const asked = await aggregator.post('/quotes', { ...wish, amount: '501', anchorId: 'dear' })
    expect([asked.status, asked.body.errors[0].path]).toEqual([400, 'amount'])
    expect(asked.body.detail).toContain('10 to 500')
  })

  it('answers 404 where nobody is eligible and for an anchor that is not', async () => {
    const none = await aggregator.post('/quotes', { ...wish, rail: 'SEPA' })
    expect([none.status, none.body.code]).toEqual([404, 'no-eligible-anchor'])
    const down = await aggregator.post('/quotes', { ...wish, anchorId: 'down' })
    expect([down.status, down.body.rejected.byRule]).toEqual([404, { availability: 1 }])
    const unknown = await aggregator.post('/quotes', { ...wish, anchorId: 'nobody' })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'anchor-not-found'])
  })

  it('names every missing value', async () => {
    const { status, body } = await aggregator.post('/quotes', {})
    expect(status).toBe(400)
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual(['amount', 'asset', 'rail', 'currency'])
  })

  it('gives one quote for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'quote-1' }
    const first = await aggregator.post('/quotes', wish, headers)
    const second = await aggregator.post('/quotes', wish, headers)
    expect(second.body.id).toBe(first.body.id)
    expect((await aggregator.post('/quotes', { ...wish, amount: '7' }, headers)).status).toBe(422)
  })

  it('prices the largest amount the ledger knows without overflowing', async () => {
    const limits = { min: '1', max: '922337203685.4775807' }
    await aggregator.register({
      id: 'whale',
      apiUrl: server.url,
      rails: ['WIRE'],
      limits,
      treasury_capacity: limits.max,
      fees: { fixed: limits.max, percentage: '1' },
    })
    const { status, body } = await aggregator.post('/quotes', { ...wish, rail: 'WIRE', amount: limits.max })
    expect(status).toBe(201)
    expect(body.fee.total).toBe('1844674407370.9551614')
    expect((await aggregator.get(`/quotes/${body.id}`)).body).toEqual(body)
  })
})

describe('a stored quote', () => {
  it('shows as expired after 300 seconds', async () => {
    const { body } = await aggregator.post('/quotes', wish)
    clock.advance(299_999)
    expect((await aggregator.get(`/quotes/${body.id}`)).body.status).toBe('open')
    clock.advance(1)
    expect((await aggregator.get(`/quotes/${body.id}`)).body.status).toBe('expired')
  })

  it('is 404 where it is unknown', async () => {
    expect((await aggregator.get('/quotes/nope')).body.code).toBe('quote-not-found')
    expect((await aggregator.get('/quotes/00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })
})

describe('comparing quotes', () => {
  it('itemises every eligible anchor, cheapest first, and stores nothing', async () => {
    const count = async () => (await aggregator.deps.database.pool.query('select count(*) from quotes')).rows
    const before = await count()
    const { status, body } = await aggregator.post('/quotes/compare', wish)
    expect(status).toBe(200)
    expect(
      body.quotes.map((q: { anchorId: string; sellAmount: string }) => [q.anchorId, q.sellAmount]),
    ).toEqual([
      ['standard', '8938.5'],
      ['dear', '9115.5'],
    ])
    expect(body.quotes[1].scores.fee).toBe(33.3333)
    expect(body.rejected.byRule).toMatchObject({ availability: 1 })
    expect(await count()).toEqual(before)
  })
})

describe('a firm quote', () => {
  const firm = { ...wish, rail: 'NEFT', amount: '20', firm: true }
  const fromClient = (n: number) => ({ 'x-windlass-proxy': PROXY_SECRET, 'x-forwarded-for': `192.0.2.${n}` })
  const reserve = (client: number, changes: object = {}) =>
    aggregator.post('/quotes', { ...firm, ...changes }, fromClient(client))
  const route = async (amount: string) => (await aggregator.post('/route', { ...firm, amount })).status

  it('reserves its amount until it expires, from quotes and from routing', async () => {
    await aggregator.register({ id: 'holder', apiUrl: server.url, rails: ['NEFT'], treasury_capacity: '100' })
    const first = await reserve(1)
    expect([first.status, first.body.firm]).toEqual([201, true])
    expect([await route('80.0000001'), await route('80')]).toEqual([404, 200])
    clock.advance(300_000)
    expect(await route('100')).toBe(200)
  })

  it('of one client never reserves more than a quarter of the capacity within 15 minutes', async () => {
    clock.advance(15 * 60_000)
    const refused = { status: 409, body: { code: 'reservation-limit' } }
    expect(await reserve(2, { amount: '100' })).toMatchObject(refused)
    expect(await reserve(2, { amount: '25.0000001', anchorId: 'holder' })).toMatchObject(refused)
    expect((await reserve(2, { amount: '25' })).status).toBe(201)
    // Not by asking again and again, nor once the first one has expired.
    expect(await reserve(2, { amount: '1' })).toMatchObject(refused)
    clock.advance(300_000)
    expect(await reserve(2, { amount: '20' })).toMatchObject(refused)
    expect(await route('100')).toBe(200)
    clock.advance(10 * 60_000)
    expect((await reserve(2, { amount: '25' })).status).toBe(201)
    clock.advance(15 * 60_000)
  })

  it('of however many clients at once never takes an anchor out of routing', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => reserve(10 + n)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ body }) => body.code === 'reservation-limit')).toHaveLength(38)
    expect(await route('60')).toBe(200)
    // A quote that is not firm needs no reservation.
    expect((await reserve(60, { amount: '60', firm: false })).status).toBe(201)
  })

  it('stores no address of its client', async () => {
    const { rows } = await aggregator.deps.database.pool.query(
      'select row_to_json(quotes)::text as row from quotes where firm',
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toMatch(/192\.0\.2|127\.0\.0\.1/)
  })
})
