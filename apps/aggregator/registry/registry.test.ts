import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { anchor, ISSUER, testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, text, type AnchorServer } from '../testing/anchor-server.ts'

let aggregator: TestAggregator
let server: AnchorServer

beforeAll(async () => {
  aggregator = await testAggregator()
  server = await startAnchorServer()
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})
beforeEach(() => {
  server.on('/admin/summary', json({ status: 'ok', treasury_capacity: '5000.5' }))
  server.on('/health', json({ status: 'ok' }))
})

const register = (changes: Parameters<typeof anchor>[0] = {}) =>
  aggregator.write('POST', '/anchors', anchor({ apiUrl: server.url, ...changes }))

const secretOfLastProbe = () =>
  server.requests.findLast(({ line }) => line === 'GET /admin/summary')?.headers['x-service-secret']

describe('an anchor with other fees over a rail', () => {
  const fees = { fixed: '3', percentage: '0' }
  const price = async (asset: string, rail: string) => {
    const { body } = await aggregator.post('/quotes', { amount: '100', currency: 'INR', asset, rail })
    return body.fee?.total
  }

  it('is quoted and routed at the fee of the rail', async () => {
    const asset = { code: 'RAILS', issuer: ISSUER, anchoredTo: 'USD' }
    const railFees = [{ rail: 'imps', direction: 'deposit' as const, ...fees }]
    const { body } = await register({ id: 'by-rail', assets: [asset], rails: ['UPI', 'IMPS'], railFees })
    expect(body.anchor.railFees).toEqual([{ rail: 'IMPS', direction: 'deposit', ...fees }])
    expect([await price('RAILS', 'UPI'), await price('RAILS', 'IMPS')]).toEqual(['1', '3'])
    const routed = await aggregator.post('/route', { amount: '100', asset: 'RAILS', rail: 'IMPS' })
    expect(routed.body.fee).toBe('3')
    await register({ id: 'by-rail', assets: [asset], rails: ['UPI', 'IMPS'] })
    expect(await price('RAILS', 'IMPS')).toBe('1')
  })

  it('may take no deposits for a time, and is then not routed to', async () => {
    const asset = { code: 'PAUSED', issuer: ISSUER, anchoredTo: 'USD' }
    const withdrawal = { rails: ['UPI'], fees }
    const { status, body } = await register({ id: 'paused', assets: [asset], rails: [], withdrawal })
    expect([status, body.anchor.withdrawal]).toEqual([201, withdrawal])
    const routed = await aggregator.post('/route', { amount: '100', asset: 'PAUSED', rail: 'UPI' })
    expect([routed.status, routed.body.rejected.byRule]).toEqual([
      404,
      expect.objectContaining({ rail: expect.any(Number) }),
    ])
    const closed = { id: 'paused', assets: [asset], rails: [], withdrawal: { rails: [], fees } }
    expect((await register(closed)).status).toBe(200)
    for (const direction of ['deposit', 'withdrawal']) {
      const asked = { amount: '100', asset: 'PAUSED', rail: 'UPI', direction }
      expect((await aggregator.post('/route', asked)).status).toBe(404)
    }
    expect((await register({ id: 'nowhere', rails: [] })).status).toBe(400)
    const wrong = { rails: ['UPI'], fees: { fixed: '-1', percentage: '0' } }
    expect((await register({ id: 'nowhere', withdrawal: wrong })).status).toBe(400)
  })
})

describe('registering an anchor', () => {
  it('probes it at once and answers 201 with what the probe told', async () => {
    const { status, body } = await register({ id: 'mumbai', slug: 'mumbai', summarySecret: 's'.repeat(32) })
    expect(status).toBe(201)
    expect(body.anchor).toMatchObject({
      id: 'mumbai',
      status: 'active',
      current_availability: true,
      treasury_capacity: '5000.5',
      fees: { fixed: '0.5', percentage: '0.005' },
      lastCheckedAt: expect.stringMatching(/Z$/),
    })
    expect(secretOfLastProbe()).toBe('s'.repeat(32))
  })

  it('answers 200 the second time, updates the entry and keeps its secret and capacity', async () => {
    await register({ id: 'delhi', summarySecret: 't'.repeat(32) })
    const { status, body } = await register({ id: 'delhi', name: 'New name', treasury_capacity: undefined })
    expect(status).toBe(200)
    expect(body.anchor).toMatchObject({ name: 'New name', treasury_capacity: '5000.5' })
    expect(secretOfLastProbe()).toBe('t'.repeat(32))
  })

  it('registers an anchor whose server does not answer, as unavailable', async () => {
    const { status, body } = await register({ id: 'silent', apiUrl: 'http://127.0.0.1:9' })
    expect(status).toBe(201)
    expect(body.anchor).toMatchObject({ current_availability: false, treasury_capacity: '100000' })
  })

  it('writes the probe into health_metrics', async () => {
    await register({ id: 'recorded' })
    const { rows } = await aggregator.deps.database.pool.query(
      'select current_availability, treasury_capacity, source from health_metrics where anchor_id = $1',
      ['recorded'],
    )
    expect(rows).toEqual([
      { current_availability: true, treasury_capacity: '5000.5000000', source: 'summary' },
    ])
  })

  it('needs the service secret', async () => {
    expect((await aggregator.post('/anchors', anchor())).status).toBe(401)
    const wrong = await aggregator.post('/anchors', anchor(), { 'x-service-secret': 'x'.repeat(38) })
    expect(wrong.status).toBe(401)
  })

  it.each<[string, object]>([
    ['no id', { id: undefined }],
    ['an id with a slash', { id: '../etc' }],
    ['an unknown status', { status: 'great' }],
    ['no assets', { assets: [] }],
    ['an issuer that is no key', { assets: [{ code: 'USDC', issuer: 'me', anchoredTo: 'USD' }] }],
    ['a region that is no country', { regions: ['India'] }],
    ['limits upside down', { limits: { min: '10', max: '1' } }],
    ['a limit of nothing', { limits: { min: '0', max: '1' } }],
    ['a negative fee', { fees: { fixed: '-1', percentage: '0.1' } }],
    ['a percentage over one', { fees: { fixed: '1', percentage: '1.5' } }],
    ['a fee that is no number', { fees: { fixed: 'much', percentage: '0' } }],
    ['a negative capacity', { treasury_capacity: '-5' }],
    ['a capacity beyond the ledger', { treasury_capacity: '1e30' }],
    ['a private address that is a file', { apiUrl: 'file:///etc/passwd' }],
    ['credentials in the address', { apiUrl: 'http://user:pass@127.0.0.1' }],
    ['a domain with a path', { domain: 'example.com/evil' }],
    ['a NUL in the name', { name: 'a\0b' }],
  ])('refuses %s and registers nothing', async (_what, changes) => {
    const { status, body } = await aggregator.write('POST', '/anchors', {
      ...anchor({ id: 'bad' }),
      ...changes,
    })
    expect(status).toBe(400)
    expect(body.code).toBe('validation-failed')
    expect(aggregator.deps.index.get('bad')).toBeUndefined()
  })

  it('never shows the private address or the secret', async () => {
    await register({ id: 'private', summarySecret: 'very-secret-summary-secret-000000' })
    const answers = [await aggregator.get('/anchors'), await aggregator.get('/anchors/private')]
    for (const { body } of answers) {
      expect(JSON.stringify(body)).not.toContain(server.url)
      expect(JSON.stringify(body)).not.toContain('very-secret')
    }
    const { rows } = await aggregator.deps.database.pool.query(
      `select summary_secret from anchors where id = 'private'`,
    )
    expect(rows[0].summary_secret.toString('latin1')).not.toContain('very-secret')
  })

  it('proves the domain by the keys in its discovery file', async () => {
    const toml = `SIGNING_KEY="${ISSUER}"\n[[CURRENCIES]]\ncode="USDC"\nissuer="${ISSUER}"\n`
    server.on('/.well-known/stellar.toml', text(toml))
    const proven = await register({ id: 'proven', domain: server.host, signingKey: ISSUER })
    expect(proven.body.anchor.domainVerified).toBe(true)
    const other = await register({ id: 'other', domain: server.host, signingKey: `G${'B'.repeat(55)}` })
    expect(other.body.anchor.domainVerified).toBe(false)
  })
})

describe('a registry that demands proof of domains', () => {
  it('routes to nobody whose discovery file does not carry its keys', async () => {
    const strict = await testAggregator({ env: { REQUIRE_DOMAIN_PROOF: 'true' } })
    onTestFinished(() => strict.drop(), 120_000)
    const wish = { amount: '100', asset: 'USDC', rail: 'UPI', currency: 'INR' }
    const registerAt = (domain: string) => strict.register({ id: 'doubted', apiUrl: server.url, domain })
    await registerAt('127.0.0.1:9')
    const refused = await strict.post('/route', wish)
    expect([refused.status, refused.body.rejected.byRule]).toEqual([404, { domain: 1 }])
    expect((await strict.post('/quotes', { ...wish, anchorId: 'doubted' })).body.rejected.byRule).toEqual({
      domain: 1,
    })
    server.on('/.well-known/stellar.toml', text(`ACCOUNTS=["${ISSUER}"]\n`))
    await registerAt(server.host)
    expect((await strict.post('/route', wish)).body.anchorId).toBe('doubted')
    // Another domain is to be proven again.
    await registerAt('127.0.0.1:9')
    expect((await strict.post('/route', wish)).status).toBe(404)
  })
})

describe('the list of anchors', () => {
  it('is sent again only when it has changed', async () => {
    for (const url of ['/anchors', '/anchors/tagged']) {
      await aggregator.register({ id: 'tagged', slug: 'tagged', apiUrl: server.url, name: 'One' })
      const first = await aggregator.get(url)
      const etag = String(first.headers.etag)
      const again = await aggregator.get(url, { 'if-none-match': `"other", ${etag}` })
      expect([first.status, again.status, again.body, again.headers.etag]).toEqual([200, 304, '', etag])
      await aggregator.register({ id: 'tagged', slug: 'tagged', apiUrl: server.url, name: 'Renamed' })
      expect((await aggregator.get(url, { 'if-none-match': etag })).status).toBe(200)
    }
  })

  it('is one of the answers that wallets poll for a body of a few bytes', async () => {
    const wish = { amount: '10', currency: 'INR', asset: 'USDC', rail: 'UPI', region: 'CL' }
    await register({ id: 'polled', regions: ['CL'] })
    const { decisionId } = (await aggregator.post('/route', wish)).body
    const quote = (await aggregator.post('/quotes', wish)).body
    await aggregator.deps.journal.flush()
    for (const url of [
      '/anchors?limit=1',
      '/anchors/polled/health',
      '/routing-policies',
      `/decisions/${decisionId}`,
      `/quotes/${quote.id}`,
    ]) {
      const { headers } = await aggregator.get(url)
      expect([url, headers['cache-control']]).toEqual([url, 'no-cache'])
      const again = await aggregator.get(url, { 'if-none-match': String(headers.etag) })
      expect([url, again.status, again.body]).toEqual([url, 304, ''])
    }
    expect((await aggregator.post('/route', wish)).headers['cache-control']).toBe('no-store')
  })

  it('filters in any case and answers newest first', async () => {
    await register({ id: 'eu1', regions: ['de'], rails: ['sepa'], status: 'suspended' })
    await register({ id: 'eu2', regions: ['DE'], rails: ['SEPA'] })
    const ids = async (query: string) =>
      (await aggregator.get(`/anchors?${query}`)).body.anchors.map((a: { id: string }) => a.id)
    expect(await ids('rail=Sepa')).toEqual(['eu2', 'eu1'])
    expect(await ids('region=de&status=active')).toEqual(['eu2'])
    expect(await ids(`rail=SEPA&asset=usdc:${ISSUER}`)).toEqual(['eu2', 'eu1'])
    expect(await ids('rail=SEPA&asset=EURT')).toEqual([])
    expect(await ids('rail=UPI&available=false')).toContain('silent')
    expect(await ids('rail=UPI&available=true')).not.toContain('silent')
  })

  it('continues page by page through the Link header and misses nobody', async () => {
    const seen: string[] = []
    let next: string | undefined = '/anchors?limit=3'
    while (next) {
      const { body, headers } = await aggregator.get(next)
      seen.push(...body.anchors.map((a: { id: string }) => a.id))
      next = /<([^>]+)>/.exec(String(headers.link ?? ''))?.[1]
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBe(aggregator.deps.index.size)
  })

  it('refuses a cursor that is not one', async () => {
    expect((await aggregator.get('/anchors?cursor=nonsense')).status).toBe(400)
  })
})

describe('one anchor', () => {
  it('comes with its uptime and its latest checks', async () => {
    await register({ id: 'one' })
    server.on('/admin/summary', json({}, 500))
    server.on('/health', json({}, 503))
    await register({ id: 'one' })
    const { body } = await aggregator.get('/anchors/one')
    expect(body.uptime).toEqual({ good: 1, checks: 2, percentage: 50 })
    expect(body.health).toMatchObject([
      { current_availability: false, failure: 'status-503' },
      { current_availability: true, source: 'summary', treasury_capacity: '5000.5' },
    ])
    const { body: hour } = await aggregator.get('/anchors/one/health')
    expect(hour.minutes.reduce((sum: number, m: { checks: number }) => sum + m.checks, 0)).toBe(2)
  })

  it('is 404 where it is unknown', async () => {
    for (const id of ['nobody', '%00', "'; drop table anchors"]) {
      const { status } = await aggregator.get(`/anchors/${encodeURIComponent(id)}`)
      expect(status).toBe(404)
    }
  })

  it('leaves the registry on DELETE with the service secret', async () => {
    await register({ id: 'leaving' })
    expect(
      (await aggregator.server.app.inject({ method: 'DELETE', url: '/anchors/leaving' })).statusCode,
    ).toBe(401)
    expect((await aggregator.write('DELETE', '/anchors/leaving')).body).toEqual({ ok: true })
    expect((await aggregator.get('/anchors/leaving')).status).toBe(404)
    expect((await aggregator.write('DELETE', '/anchors/leaving')).status).toBe(404)
  })
})
