import { metricIn } from '@windlass/testing/metrics.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ISSUER, SERVICE_SECRET, testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'
import { STORED_PER_SECOND } from './misses.ts'

let aggregator: TestAggregator
let server: AnchorServer
const clock = fakeClock()

beforeAll(async () => {
  aggregator = await testAggregator({ clock })
  server = await startAnchorServer()
  server.on('/health', json({ status: 'ok' }))
  const apiUrl = server.url
  await aggregator.register({
    id: 'cheap',
    apiUrl,
    fees: { fixed: '0', percentage: '0.001' },
    settlement: 'under_60_minutes',
  })
  await aggregator.register({ id: 'quick', apiUrl, fees: { fixed: '0', percentage: '0.002' } })
  await aggregator.register({
    id: 'dear',
    apiUrl,
    fees: { fixed: '1', percentage: '0.01' },
    treasury_capacity: '200',
  })
  await aggregator.register({ id: 'europe', apiUrl, regions: ['DE'] })
  await aggregator.register({ id: 'bank', apiUrl, rails: ['SEPA'] })
  await aggregator.register({
    id: 'euro',
    apiUrl,
    assets: [{ code: 'EURT', issuer: ISSUER, anchoredTo: 'EUR' }],
  })
  await aggregator.register({ id: 'paused', apiUrl, status: 'suspended' })
  await aggregator.register({ id: 'down' })
  await aggregator.register({ id: 'small', apiUrl, treasury_capacity: '99.9999999' })
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})

const wish = { amount: '100', asset: 'USDC', rail: 'UPI', region: 'IN' }

describe('POST /route', () => {
  it('chooses the highest weighted sum and shows how it came about', async () => {
    const { status, body } = await aggregator.post('/route', wish)
    expect(status).toBe(200)
    // quick: 0.4 × 50 + 0.2 × 100 + 0.2 × 100 + 0.2 × 100; cheap: 0.4 × 100 + 0.2 × 50 + 0.2 × 100 + 0.2 × 100
    expect(body).toMatchObject({
      anchorId: 'cheap',
      score: 90,
      scores: { fee: 100, speed: 50, uptime: 100, liquidity: 100 },
      weights: { fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 },
      fee: '0.1',
      eligible: 3,
      stale: false,
    })
    expect(body.candidates.map((c: { anchorId: string; score: number }) => [c.anchorId, c.score])).toEqual([
      ['cheap', 90],
      ['quick', 80],
      // 0.4 × 100 × 0.1 / 2 + 20 + 20 + 0.2 × 20 × 200 / 100
      ['dear', 50],
    ])
    expect(body.reasoning).toContain('Chosen: ')
    expect(body.reasoning).toContain('cheap')
  })

  it('tells whose asset each candidate means by a bare code, then and afterwards', async () => {
    const others = `G${'B'.repeat(55)}`
    const lotus = (issuer: string) => ({ code: 'LOTUS', issuer, anchoredTo: 'INR' })
    const register = (id: string, assets: ReturnType<typeof lotus>[], fixed: string) =>
      aggregator.register({
        id,
        apiUrl: server.url,
        assets,
        fees: { fixed, percentage: '0' },
        rails: ['NEFT'],
      })
    await register('lotus1', [lotus(ISSUER)], '1')
    await register('lotus2', [{ code: 'USDC', issuer: ISSUER, anchoredTo: 'USD' }, lotus(others)], '2')
    await register('lotus3', [lotus(others)], '3')
    const { body } = await aggregator.post('/route', { amount: '5', asset: 'lotus', rail: 'NEFT' })
    const issuers = (candidates: { anchorId: string; issuer: string }[]) =>
      candidates.map(({ anchorId, issuer }) => [anchorId, issuer])
    expect([body.anchorId, body.asset, body.issuer]).toEqual(['lotus1', 'LOTUS', ISSUER])
    expect(issuers(body.candidates)).toEqual([
      ['lotus1', ISSUER],
      ['lotus2', others],
      ['lotus3', others],
    ])
    await aggregator.deps.journal.flush()
    expect((await aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    const quote = await aggregator.post('/quotes', {
      amount: '5',
      asset: 'LOTUS',
      rail: 'NEFT',
      currency: 'INR',
    })
    expect([quote.body.anchorId, quote.body.issuer]).toEqual(['lotus1', ISSUER])
    expect((await aggregator.get(`/quotes/${quote.body.id}`)).body).toEqual(quote.body)
    const compared = await aggregator.post('/quotes/compare', {
      amount: '5',
      asset: 'LOTUS',
      rail: 'NEFT',
      currency: 'INR',
    })
    expect(issuers(compared.body.quotes)).toEqual(issuers(body.candidates))
    for (const id of ['lotus1', 'lotus2', 'lotus3']) await aggregator.write('DELETE', `/anchors/${id}`)
  })

  it('counts who was rejected under the first rule each failed, with the request alone in the detail', async () => {
    const { body } = await aggregator.post('/route', wish)
    expect(body.rejected.byRule).toEqual({
      asset: 1,
      rail: 1,
      region: 1,
      status: 1,
      availability: 1,
      capacity: 1,
    })
    const rules = Object.fromEntries(
      body.rejected.examples.map((e: { anchorId: string; rule: string }) => [e.anchorId, e.rule]),
    )
    expect(rules).toEqual({
      euro: 'asset',
      bank: 'rail',
      europe: 'region',
      paused: 'status',
      down: 'availability',
      small: 'capacity',
    })
    expect(JSON.stringify(body.rejected)).not.toContain('99.9999999')
  })

  it.each<[string, object]>([
    ['a number for the amount', { ...wish, amount: 100 }],
    ['lower case', { ...wish, asset: 'usdc', rail: 'upi', region: 'in' }],
    ['no region', { amount: '100', asset: 'USDC', rail: 'UPI' }],
    ['the asset with its issuer', { ...wish, asset: `USDC:${ISSUER}` }],
    ['the asset as an object', { ...wish, asset: { code: 'usdc', issuer: ISSUER } }],
    ['other names', { amount: '100', assetCode: 'USDC', paymentRail: 'UPI', country: 'IN' }],
    ['a currency and unknown fields', { ...wish, currency: 'INR', colour: 'blue' }],
  ])('takes %s', async (_what, body) => {
    expect((await aggregator.post('/route', body)).body.anchorId).toBe('cheap')
  })

  it.each<[string, object, string]>([
    ['no amount', { asset: 'USDC', rail: 'UPI' }, 'amount'],
    ['an amount of nothing', { ...wish, amount: '0' }, 'amount'],
    ['a negative amount', { ...wish, amount: -5 }, 'amount'],
    ['eight digits', { ...wish, amount: '1.00000001' }, 'amount'],
    ['an amount with an exponent', { ...wish, amount: '1e5' }, 'amount'],
    ['an amount in words', { ...wish, amount: 'ten' }, 'amount'],
    ['an amount beyond the ledger', { ...wish, amount: 1e25 }, 'amount'],
    ['no asset', { amount: '1', rail: 'UPI' }, 'asset'],
    ['an asset that is none', { ...wish, asset: '<script>' }, 'asset'],
    ['no rail', { amount: '1', asset: 'USDC' }, 'rail'],
    ['a region that is no country', { ...wish, region: 'India' }, 'region'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await aggregator.post('/route', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((e: { path: string }) => e.path)).toContain(path)
  })

  it('names all mistakes at once', async () => {
    const { body } = await aggregator.post('/route', {})
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual(['amount', 'asset', 'rail'])
  })

  it('answers 404 with the rejections where nobody is eligible', async () => {
    const { status, body } = await aggregator.post('/route', { ...wish, amount: '900000' })
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'no-eligible-anchor', rejected: { byRule: { capacity: 4 } } })
  })

  it('is counted for Prometheus by its outcome', async () => {
    const count = async () =>
      metricIn((await aggregator.server.app.inject('/metrics')).body, 'windlass_routing_decisions_total')[
        'outcome="no-eligible-anchor",stale="false"'
      ] ?? 0
    const before = await count()
    await aggregator.post('/route', { ...wish, amount: '900000' })
    expect(await count()).toBe(before + 1)
  })

  it('takes an anchor whose capacity is exactly the amount', async () => {
    const { body } = await aggregator.post('/route', { ...wish, amount: '99.9999999' })
    expect(body.rejected.byRule.capacity).toBeUndefined()
    expect(body.candidates.map((c: { anchorId: string }) => c.anchorId)).toContain('small')
  })

  it('says whether the amount is within the limits, which do not decide who is eligible', async () => {
    const rail = 'LIMITS'
    const both = { apiUrl: server.url, rails: [rail] }
    await aggregator.register({ ...both, id: 'free', fees: { fixed: '0', percentage: '0' } })
    await aggregator.register({ ...both, id: 'wide', limits: { min: '0.0000001', max: '1000000' } })
    const limits = async (amount: string) =>
      (await aggregator.post('/route', { ...wish, rail, amount })).body.limits
    expect(await limits('0.9999999')).toEqual({ min: '1', max: '1000000', within: false })
    expect(await limits('1')).toEqual({ min: '1', max: '1000000', within: true })
    const { body } = await aggregator.post('/route', { ...wish, rail, amount: '0.5' })
    expect(body.reasoning).toContain('outside its limits')
    await aggregator.deps.journal.flush()
    expect((await aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
  })

  it.each(['0.9999999', '1000000.0000001'])(
    'finds nobody for %s, which no anchor takes at once',
    async amount => {
      clock.advance(1000)
      const ask = { ...wish, rail: 'WIDE', amount }
      await aggregator.register({ id: 'deep', apiUrl: server.url, rails: ['WIDE'], treasury_capacity: 1e9 })
      const { status, body } = await aggregator.post('/route', ask)
      expect([status, body.code, body.rejected.byRule.limits]).toEqual([404, 'no-eligible-anchor', 1])
      expect(body.rejected.examples[0]).toMatchObject({ anchorId: 'deep', rule: 'limits' })
      await aggregator.deps.journal.flush()
      const secret = { 'x-service-secret': SERVICE_SECRET }
      const { missed } = (await aggregator.get('/anchors/deep/missed', secret)).body
      expect(missed[0]).toMatchObject({ amount, rule: 'limits' })
      expect((await aggregator.get(`/decisions/${missed[0].decisionId}`)).body.rejected).toEqual(
        body.rejected,
      )
      expect((await aggregator.post('/quotes', { ...ask, currency: 'INR' })).body.detail).toContain(
        'outside the limits',
      )
    },
  )

  it('ranks those within their limits first where the weighted sum is equal', async () => {
    const alike = { apiUrl: server.url, rails: ['CASH'] }
    await aggregator.register({ ...alike, id: 'alike1', limits: { min: '101', max: '200' } })
    await aggregator.register({ ...alike, id: 'alike2', limits: { min: '100', max: '200' } })
    await aggregator.register({ ...alike, id: 'alike3', limits: { min: '1', max: '99.9999999' } })
    await aggregator.register({ ...alike, id: 'better', fees: { fixed: '0', percentage: '0.001' } })
    await aggregator.register({
      ...alike,
      id: 'best',
      fees: { fixed: '0', percentage: '0' },
      limits: { min: '1', max: '2' },
    })
    const { body } = await aggregator.post('/route', { ...wish, rail: 'CASH' })
    expect(
      body.candidates.map((c: { anchorId: string; withinLimits: boolean }) => [c.anchorId, c.withinLimits]),
    ).toEqual([
      // A higher sum comes first all the same.
      ['best', false],
      ['better', true],
      ['alike2', true],
      ['alike1', false],
      ['alike3', false],
    ])
  })

  it('counts the share of the exchange rate as a fee, and names it', async () => {
    const rail = { apiUrl: server.url, rails: ['SPREAD'] }
    const spread = { deposit: '0.2', withdrawal: '0' }
    await aggregator.register({ ...rail, id: 'greedy', fees: { fixed: '0', percentage: '0' }, spread })
    await aggregator.register({ ...rail, id: 'honest', fees: { fixed: '0', percentage: '0.01' } })
    const { body } = await aggregator.post('/route', { ...wish, rail: 'SPREAD' })
    expect(body).toMatchObject({ anchorId: 'honest', fee: '1' })
    expect(body.candidates).toMatchObject([
      { anchorId: 'honest', scores: { fee: 100 } },
      { anchorId: 'greedy', fee: '0', spread: '0.2', scores: { fee: 5 } },
    ])
    expect(body.reasoning).toContain('at 0 and 0.2 of the exchange rate')
    const quote = await aggregator.post('/quotes', { ...wish, rail: 'SPREAD', currency: 'INR' })
    expect(quote.body.anchorId).toBe('honest')
  })

  it('compares fees with a thousandth of the amount at least, so that a fee of nothing leaves others their scores', async () => {
    const rail = { apiUrl: server.url, rails: ['FREE'] }
    await aggregator.register({ ...rail, id: 'free', fees: { fixed: '0', percentage: '0' } })
    await aggregator.register({ ...rail, id: 'low', fees: { fixed: '0', percentage: '0.001' } })
    await aggregator.register({ ...rail, id: 'high', fees: { fixed: '0', percentage: '0.009' } })
    const { body } = await aggregator.post('/route', { ...wish, rail: 'FREE' })
    expect(body.candidates.map((c: { scores: { fee: number } }) => c.scores.fee)).toEqual([100, 50, 10])
  })

  it('is open to every origin', async () => {
    const answer = await aggregator.post('/route', wish, { origin: 'https://wallet.example' })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('a route that nobody could serve', () => {
  const missed = async (id: string, query = '') => {
    await aggregator.deps.journal.flush()
    const url = `/anchors/${id}/missed${query}`
    return (await aggregator.get(url, { 'x-service-secret': SERVICE_SECRET })).body.missed
  }

  it('is shown to every anchor of the asset, with the rule that each failed', async () => {
    clock.advance(1000)
    expect((await aggregator.post('/route', { ...wish, amount: '100000.5' })).status).toBe(404)
    clock.advance(1000)
    expect((await aggregator.post('/route', { ...wish, rail: 'PIX', currency: 'inr' })).status).toBe(404)
    const [newest, older] = await missed('cheap')
    expect(newest).toEqual({
      decisionId: expect.any(String),
      decidedAt: clock.now().toISOString(),
      amount: '100',
      asset: 'USDC',
      rail: 'PIX',
      region: 'IN',
      currency: 'INR',
      rule: 'rail',
      detail: 'does not support the payment rail PIX',
    })
    expect(older).toMatchObject({ amount: '100000.5', rail: 'UPI', rule: 'capacity' })
    const rules = async (id: string) =>
      (await missed(id, '?limit=2')).map(({ rule }: { rule: string }) => rule)
    expect(await rules('europe')).toEqual(['rail', 'region'])
    expect(await rules('bank')).toEqual(['rail', 'rail'])
    expect(await rules('paused')).toEqual(['rail', 'status'])
    expect(await rules('down')).toEqual(['rail', 'availability'])
    // Serves another asset.
    expect(await missed('euro')).toEqual([])
    expect(await missed('cheap', '?limit=1')).toEqual([newest])
  })

  it('is no decision for its anchors, has no winner to start with, and is refused again when it is read', async () => {
    const [{ decisionId }] = await missed('cheap')
    const { status, body } = await aggregator.get(`/decisions/${decisionId}`)
    expect([status, body.code]).toEqual([404, 'no-eligible-anchor'])
    expect(body.rejected).toEqual((await aggregator.post('/route', { ...wish, rail: 'PIX' })).body.rejected)
    const started = await aggregator.post('/transactions/start', { decisionId })
    expect([started.status, started.body.code]).toEqual([404, 'no-eligible-anchor'])
    const outcomes = await aggregator.get('/anchors/cheap/decisions', { 'x-service-secret': SERVICE_SECRET })
    expect(JSON.stringify(outcomes.body)).not.toContain(decisionId)
  })

  it('is stored a bounded number of times a second, and not for assets that nobody has', async () => {
    clock.advance(1000)
    const before = (await missed('cheap', '?limit=100')).length
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => aggregator.post('/route', { ...wish, rail: `RAIL${n}` })),
    )
    expect((await missed('cheap', '?limit=100')).length - before).toBe(STORED_PER_SECOND)
    clock.advance(1000)
    await aggregator.post('/route', { ...wish, asset: 'NOBODY' })
    await aggregator.deps.journal.flush()
    const { rows } = await aggregator.deps.database.pool.query(
      `select 1 from routing_snapshots where asset = 'NOBODY'`,
    )
    expect(rows).toEqual([])
  })

  it('is shown with the service secret alone', async () => {
    expect((await aggregator.get('/anchors/cheap/missed')).status).toBe(401)
  })
})

describe('a decision', () => {
  it('reads the same afterwards as it was answered, at once and from the database', async () => {
    const { body } = await aggregator.post('/route', wish)
    expect((await aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    await aggregator.deps.journal.flush()
    expect((await aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    const { rows } = await aggregator.deps.database.pool.query(
      'select winner from routing_decisions where id = $1',
      [body.decisionId],
    )
    expect(rows).toEqual([{ winner: 'cheap' }])
  })

  it('is 404 where it is unknown', async () => {
    for (const id of ['nope', '00000000-0000-4000-8000-000000000000']) {
      const { status, body } = await aggregator.get(`/decisions/${id}`)
      expect([status, body.code]).toEqual([404, 'decision-not-found'])
    }
  })

  it('tells an anchor why it was or was not chosen, with the service secret', async () => {
    const outcomes = async (id: string) =>
      (await aggregator.get(`/anchors/${id}/decisions?limit=1`, { 'x-service-secret': SERVICE_SECRET })).body
        .decisions[0]
    clock.advance(1000)
    await aggregator.post('/route', wish)
    expect(await outcomes('cheap')).toMatchObject({ outcome: 'chosen', rank: 1, score: 90 })
    expect(await outcomes('quick')).toMatchObject({
      outcome: 'outscored',
      rank: 2,
      score: 80,
      winningScore: 90,
    })
    expect(await outcomes('small')).toMatchObject({ outcome: 'rejected', rule: 'capacity' })
    expect((await aggregator.get('/anchors/cheap/decisions')).status).toBe(401)
    const forged = Buffer.from(`${clock.now().toISOString()}|not-an-id`).toString('base64url')
    const { status } = await aggregator.get(`/anchors/cheap/decisions?cursor=${forged}`, {
      'x-service-secret': SERVICE_SECRET,
    })
    expect(status).toBe(400)
  })
})

describe('routing policies', () => {
  const speedFirst = { fee: 0.1, speed: '0.7', uptime: 0.1, liquidity: 0.1 }

  it('begin with the default, active', async () => {
    const { body } = await aggregator.get('/routing-policies')
    expect(body.policies).toMatchObject([
      { version: 1, active: true, weights: { fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.2 } },
    ])
  })

  it('are tried out by policyId, which needs the service secret', async () => {
    const created = await aggregator.write('POST', '/routing-policies', {
      name: 'Speed first',
      weights: speedFirst,
      active: false,
    })
    expect(created.status).toBe(201)
    const policyId = created.body.policy.id
    expect((await aggregator.post('/route', { ...wish, policyId })).status).toBe(401)
    const tried = await aggregator.write('POST', '/route', { ...wish, policyId })
    expect(tried.body).toMatchObject({ anchorId: 'quick', policyId, weights: { speed: 0.7 } })
    expect((await aggregator.post('/route', wish)).body.anchorId).toBe('cheap')
    expect((await aggregator.write('POST', '/route', { ...wish, policyId: 'x' })).status).toBe(404)
  })

  it('stay with each decision where decisions under several are stored together', async () => {
    const { policies } = (await aggregator.get('/routing-policies')).body
    const answers = await Promise.all(
      [...policies, ...policies].map(({ id }) =>
        aggregator.write('POST', '/route', { ...wish, policyId: id }),
      ),
    )
    expect(new Set(answers.map(({ body }) => body.weights.speed))).toEqual(new Set([0.2, 0.7]))
    for (const { body } of answers) {
      expect((await aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    }
  })

  it('replay past decisions without changing anything', async () => {
    const policies = (await aggregator.get('/routing-policies')).body.policies
    const speed = policies.find((p: { name: string }) => p.name === 'Speed first')
    clock.advance(1000)
    await aggregator.post('/route', wish)
    await aggregator.deps.journal.flush()
    const before = (await aggregator.deps.database.pool.query('select count(*) from routing_decisions')).rows
    const { status, body } = await aggregator.write('POST', `/routing-policies/${speed.id}/replay`, {
      limit: 1,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      decisions: 1,
      changed: 1,
      shares: [
        { anchorId: 'quick', before: 0, after: 1 },
        { anchorId: 'cheap', before: 1, after: 0 },
      ],
    })
    const dryRun = await aggregator.write('POST', '/routing-policies/replay', { weights: speedFirst })
    expect(dryRun.body.changed).toBeGreaterThan(0)
    expect(dryRun.body.examples[0]).toMatchObject({ before: 'cheap', after: 'quick' })
    await aggregator.deps.journal.flush()
    expect(
      (await aggregator.deps.database.pool.query('select count(*) from routing_decisions')).rows,
    ).toEqual(before)
  })

  it('are active one at a time, the newest by default', async () => {
    const { body } = await aggregator.write('POST', '/routing-policies', { weights: speedFirst })
    expect(body.policy).toMatchObject({ active: true, version: 3 })
    expect((await aggregator.post('/route', wish)).body.anchorId).toBe('quick')
    const policies = (await aggregator.get('/routing-policies')).body.policies
    expect(policies.filter((p: { active: boolean }) => p.active)).toHaveLength(1)
    const first = policies.find((p: { version: number }) => p.version === 1)
    await aggregator.write('POST', `/routing-policies/${first.id}/activate`)
    expect((await aggregator.post('/route', wish)).body.anchorId).toBe('cheap')
  })

  it('are listed in pages, newest first', async () => {
    const versions: number[] = []
    let url = '/routing-policies?limit=2'
    while (url) {
      const { body, headers } = await aggregator.get(url)
      versions.push(...body.policies.map(({ version }: { version: number }) => version))
      url = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1] ?? ''
    }
    expect(versions).toEqual([3, 2, 1])
    const unknown = Buffer.from('2026-01-01T00:00:00.000Z|none').toString('base64url')
    expect((await aggregator.get(`/routing-policies?cursor=${unknown}`)).status).toBe(400)
  })

  it.each<[string, object]>([
    [
      'weights that sum to less than 1',
      { weights: { fee: 0.4, speed: 0.2, uptime: 0.2, liquidity: 0.1999 } },
    ],
    ['a negative weight', { weights: { fee: 1.2, speed: -0.2, uptime: 0, liquidity: 0 } }],
    ['a weight in words', { weights: { fee: 'all', speed: '0', uptime: '0', liquidity: '0' } }],
    ['seven digits', { weights: { fee: '0.0000001', speed: '0.9999999', uptime: 0, liquidity: 0 } }],
    ['a weight that is missing', { weights: { fee: 1 } }],
  ])('refuse %s', async (_what, body) => {
    expect((await aggregator.write('POST', '/routing-policies', body)).status).toBe(400)
  })

  it('need the service secret to be written', async () => {
    expect((await aggregator.post('/routing-policies', { weights: speedFirst })).status).toBe(401)
    expect((await aggregator.post('/routing-policies/replay', { weights: speedFirst })).status).toBe(401)
  })
})
