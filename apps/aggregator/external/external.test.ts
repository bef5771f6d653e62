import { generateKey } from '@windlass/stellar/keys.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { testAggregator } from '../testing/aggregator.ts'
import { json, startTlsAnchorServer, text, type AnchorServer } from '../testing/anchor-server.ts'
import { externalAnchor, wish, FILE, issuer, key, price, send } from '../testing/external-anchor.ts'
import { waitUntil } from '../testing/wait-until.ts'

const coinHouse = externalAnchor()
const { file, accountIn, amountIn, sendChallenge, register, route } = coinHouse

describe('registering an anchor of another platform', () => {
  it('reads what it offers from its own answers and states what they do not say', async () => {
    const { status, body } = await register()
    expect(status).toBe(201)
    expect(body.steps.map(({ step, ok }: { step: string; ok: boolean }) => [step, ok])).toEqual([
      ['file', true],
      ['challenge', true],
      ['info', true],
      ['price', true],
    ])
    expect(body.anchor).toMatchObject({
      name: 'Coin House',
      slug: coinHouse.server.host,
      domain: coinHouse.server.host,
      status: 'active',
      current_availability: true,
      domainVerified: true,
      rails: ['PIX'],
      regions: ['BR'],
      settlement: 'unknown',
      external: { seps: [1, 10, 24, 38], unknown: ['capacity', 'settlement'] },
      assets: [
        {
          code: 'COIN',
          issuer,
          anchoredTo: 'BRL',
          terms: {
            min: '5',
            max: '2000',
            fees: { fixed: '0.2', percentage: '0.01' },
            prices: { BRL: '1.5' },
          },
        },
      ],
    })
    const again = await register(coinHouse.server.host)
    expect([again.status, again.body.anchor.id]).toEqual([200, body.anchor.id])
  })

  it('logs in where a price needs it, and takes the fee of its info where a price has none', async () => {
    const price = { price: '1.5', sell_amount: '15', buy_amount: '10' }
    coinHouse.server.on('/auth', (request, response) => {
      if (request.method === 'POST') return void send(response, { token: 'a token' })
      sendChallenge(response, accountIn(request.url), key.secret)
    })
    coinHouse.server.on('/sep38/price', (request, response) => {
      if (request.headers.authorization === 'Bearer a token') return void send(response, price)
      response.writeHead(403).end('{"error":"log in"}')
    })
    const deposit = { COIN: { enabled: true, max_amount: 2000, fee_fixed: 0.25, fee_percent: 1.5 } }
    coinHouse.server.on('/sep24/info', json({ deposit }))
    const { terms } = (await register()).body.anchor.assets[0]
    expect([terms.prices, terms.fees]).toEqual([{ BRL: '1.5' }, { fixed: '0.25', percentage: '0.015' }])
  })

  it('logs in with another challenge where the first has expired', async () => {
    let refused = 0
    coinHouse.server.on('/auth', (request, response) => {
      if (request.method !== 'POST') return sendChallenge(response, accountIn(request.url), key.secret)
      if (refused++ === 0) return void response.writeHead(400).end('{"error":"the challenge has expired"}')
      send(response, { token: 'a token' })
    })
    coinHouse.server.on('/sep38/price', (request, response) => {
      const { authorization } = request.headers
      if (authorization === 'Bearer a token') return price(response, amountIn(request.url), '1.5')
      response.writeHead(403).end('{"error":"log in"}')
    })
    const { steps } = (await register()).body
    expect(steps.at(-1)).toMatchObject({ step: 'price', ok: true })
    expect(refused).toBeGreaterThanOrEqual(2)
  })

  it('does not take SEP-24 for SEP-6 where the file names its address under both', async () => {
    coinHouse.server.on(FILE, text(file({ TRANSFER_SERVER: `${coinHouse.server.url}/sep24` })))
    expect((await register()).body.anchor.external.seps).toEqual([1, 10, 24, 38])
  })

  it('shows what a wallet would meet there, step by step, with latencies', async () => {
    const { id } = (await register()).body.anchor
    const { health } = (await coinHouse.aggregator.get(`/anchors/${id}`)).body
    expect(health[0]).toMatchObject({ current_availability: true, source: 'wallet' })
    expect(health[0].steps.map(({ step }: { step: string }) => step)).toEqual([
      'file',
      'challenge',
      'info',
      'price',
    ])
  })

  it.each<[string, string, (to: AnchorServer) => void]>([
    ['has no file', 'file: status-404', to => to.on(FILE, json({}, 404))],
    ['redirects', 'file: redirect', to => to.on(FILE, (_q, r) => r.writeHead(302, { location: '/' }).end())],
    [
      'sends a file without end',
      'file: too-long',
      to => to.on(FILE, (_q, r) => void r.write('#'.repeat(200_000))),
    ],
    ['sends no TOML', 'file: not-toml', to => to.on(FILE, text('<html>'))],
    ['has no SIGNING_KEY', 'file: no-signing-key', to => to.on(FILE, text(file({ SIGNING_KEY: 'none' })))],
    [
      'claims the key of someone else',
      'challenge: challenge-not-signed',
      to => to.on('/auth', (q, r) => sendChallenge(r, accountIn(q.url), generateKey().secret)),
    ],
    [
      'repeats a challenge that someone else got',
      'challenge: challenge-for-another-account',
      to => to.on('/auth', (_q, r) => sendChallenge(r, generateKey().publicKey, key.secret)),
    ],
    [
      'sends an envelope of nonsense',
      'challenge: challenge-not-signed',
      to => to.on('/auth', json({ transaction: 'AAAA' })),
    ],
    ['has no info', 'info: status-500', to => to.on('/sep24/info', json({}, 500))],
    ['sends no JSON', 'info: not-json', to => to.on('/sep24/info', text('[[['))],
    [
      'offers nothing',
      'nothing-offered',
      to => to.on('/sep24/info', json({ deposit: { COIN: { enabled: false } } })),
    ],
  ])('is refused where the domain %s', async (_what, reason, change) => {
    change(coinHouse.server)
    const { status, body } = await register()
    expect([status, body.code]).toEqual([422, 'external-anchor-refused'])
    expect(body.detail).toContain(reason)
  })

  it('counts the registrations of a client and says what is left', async () => {
    const { headers } = await register()
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([
      expect.stringMatching(/^"external-anchors";r=\d+;t=\d+$/),
      '"external-anchors";q=1000;w=86400',
    ])
  })

  it('is refused on another network, and at a domain of this platform', async () => {
    coinHouse.server.on(
      FILE,
      text(file({ NETWORK_PASSPHRASE: 'Public Global Stellar Network ; September 2015' })),
    )
    const other = await register()
    expect([other.status, other.body.detail]).toEqual([422, expect.stringContaining('another-network')])
    const ours = await register('mumbai.anchors.localhost')
    expect([ours.status, ours.body.detail]).toEqual([
      422,
      expect.stringContaining('belongs to this platform'),
    ])
  })

  it('is refused where its file leaves the network out and its challenge is of another', async () => {
    coinHouse.server.on(FILE, text(file().replace(/^NETWORK_PASSPHRASE.*\n/m, '')))
    expect((await register()).status).toBe(200)
    coinHouse.server.on('/auth', (request, response) =>
      sendChallenge(response, accountIn(request.url), key.secret, 'Another Network ; 2026'),
    )
    const { status, body } = await register()
    expect([status, body.detail]).toEqual([422, expect.stringContaining('challenge-not-signed')])
  })

  it('is refused at private addresses, when the registry is full, and when it is closed', async () => {
    for (const [env, reason] of [
      [{ ALLOW_PRIVATE_ADDRESSES: 'false' }, 'refused-address'],
      [{ EXTERNAL_ANCHORS: '0' }, 'takes no anchors'],
    ] as const) {
      const other = await testAggregator({ env, databaseUrl: coinHouse.aggregator.databaseUrl })
      const { status, body } = await other.post('/external-anchors', { homeDomain: coinHouse.server.host })
      expect([status, body.detail]).toEqual([422, expect.stringContaining(reason)])
      await other.stop()
    }
  })

  it('is refused where its file, read over https, names an endpoint that is not', async () => {
    const sealed = await startTlsAnchorServer('localhost')
    const env = { DEPLOYMENT: 'production', ALLOW_PRIVATE_ADDRESSES: 'true' }
    const other = await testAggregator({ env })
    try {
      sealed.on(FILE, text(file()))
      const { status, body } = await other.post('/external-anchors', { homeDomain: sealed.host })
      expect([status, body.detail]).toEqual([422, expect.stringContaining('file: endpoint-not-https')])
    } finally {
      await other.drop()
      await sealed.close()
    }
  })

  it('keeps amounts and names that no registry can hold out of it', async () => {
    const hostile = {
      enabled: true,
      min_amount: 1e300,
      max_amount: -5,
      fee_fixed: 'NaN',
      fee_percent: 1e9,
      funding_methods: [{ constructor: 1 }, 'x'.repeat(500), '  ', 'pix\u0000'],
    }
    coinHouse.server.on(
      '/sep24/info',
      json({ deposit: { COIN: hostile, __proto__: hostile, constructor: hostile } }),
    )
    coinHouse.server.on('/sep38/price', json({ price: '0', fee: { total: '-1' } }))
    const { status, body } = await register()
    expect(status).toBe(200)
    expect(body.anchor.assets[0].terms).toEqual({ min: null, max: null, fees: null, prices: {} })
    expect(body.anchor.rails).toEqual(['PIX', 'PIX_'])
  })
})

describe('XLM at an external anchor', () => {
  /** Its file lists XLM alone, which SEP-6 and SEP-24 call `native`, as SEP-38 does. */
  const serveXlm = (listed = 'native') => {
    const [head] = file().split('[[CURRENCIES]]')
    coinHouse.server.on(FILE, text(`${head}[[CURRENCIES]]\ncode = "native"\nanchor_asset = "XLM"`))
    const side = { [listed]: { enabled: true, min_amount: 5, max_amount: 2000 } }
    coinHouse.server.on('/sep24/info', json({ deposit: side, withdraw: side }))
    const delivery = [{ name: 'PIX' }]
    const real = { asset: 'iso4217:BRL', country_codes: ['BR'] }
    const methods = { sell_delivery_methods: delivery, buy_delivery_methods: delivery }
    coinHouse.server.on(
      '/sep38/info',
      json({ assets: [{ asset: 'stellar:native' }, { ...real, ...methods }] }),
    )
    const priced: string[] = []
    coinHouse.server.on('/sep38/price', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', coinHouse.server.url)
      priced.push(`${searchParams.get('sell_asset')} > ${searchParams.get('buy_asset')}`)
      send(response, {
        price: searchParams.has('buy_amount') ? '0.5' : '2',
        fee: { total: '0', asset: 'stellar:native' },
      })
    })
    return priced
  }

  it('is offered, priced and routed to as any other asset', async () => {
    const priced = serveXlm()
    const { status, body } = await register()
    expect([status < 300, body.anchor?.assets]).toMatchObject([
      true,
      [
        {
          ...{ code: 'XLM', issuer: 'native', anchoredTo: 'XLM' },
          terms: { min: '5', max: '2000', prices: { BRL: '0.5' }, withdrawal: { prices: { BRL: '0.5' } } },
        },
      ],
    ])
    expect(new Set(priced)).toEqual(new Set(['iso4217:BRL > stellar:native', 'stellar:native > iso4217:BRL']))
    for (const asset of ['native', 'XLM:native']) {
      const routed = await route({ asset })
      expect([routed.status, routed.body.anchorId, routed.body.issuer]).toEqual([
        200,
        body.anchor.id,
        'native',
      ])
    }
    const wanted = { anchorId: body.anchor.id, asset: 'native', amount: '100', rail: 'PIX', currency: 'BRL' }
    expect((await coinHouse.aggregator.post('/quotes', wanted)).body).toMatchObject({
      ...{ issuer: 'native', fxRate: '0.5' },
    })
  })

  it('is not offered under another name than the SEPs have for it', async () => {
    serveXlm('XLM')
    const { status } = await register()
    expect(status).not.toBe(201)
  })
})

describe('an external anchor', () => {
  beforeEach(async () => {
    expect((await register()).status).toBeLessThan(300)
    await waitUntil('its terms are read', async () => (await route()).status === 200)
  })

  it('is routed to only when external anchors are asked for, and is marked', async () => {
    const silent = await route({ external: undefined })
    expect([silent.status, silent.body.rejected.byRule]).toEqual([404, { external: 1 }])
    const { body } = await route()
    expect(body).toMatchObject({
      external: true,
      unknown: ['capacity', 'settlement'],
      fee: '1.2',
      limits: { min: '5', max: '2000', within: true },
      scores: { fee: 100, speed: 0, uptime: 100, liquidity: 20 },
    })
    expect(body.reasoning).toContain('external anchor, unknown: capacity, counted as the amount')
    await coinHouse.aggregator.deps.journal.flush()
    expect((await coinHouse.aggregator.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
  })

  it('competes beside our own: what is not known of it counts as the worst', async () => {
    coinHouse.server.on('/own/health', json({ status: 'ok' }))
    await coinHouse.aggregator.register({
      id: 'own',
      assets: [{ code: 'COIN', issuer, anchoredTo: 'BRL' }],
      rails: ['PIX'],
      regions: ['BR'],
      fees: { fixed: '1.2', percentage: '0' },
      apiUrl: `${coinHouse.server.url}/own`,
    })
    const { candidates } = (await route()).body
    expect(
      candidates.map(({ anchorId, external }: { anchorId: string; external?: boolean }) => [
        anchorId,
        external,
      ]),
    ).toEqual([
      ['own', undefined],
      [expect.stringMatching(/^external-/), true],
    ])
    await coinHouse.aggregator.write('DELETE', '/anchors/own')
  })

  it('takes at most the amount that it states', async () => {
    expect((await route({ amount: '2000.1' })).body.rejected.byRule).toEqual({ limits: 1 })
  })

  it('is quoted at the price it named last, and reserves nothing', async () => {
    const { status, body } = await coinHouse.aggregator.post('/quotes', { ...wish, external: true })
    expect([status, body.fxRate, body.fee.total, body.sellAmount]).toEqual([201, '1.5', '1.2', '151.8'])
    const firm = await coinHouse.aggregator.post('/quotes', { ...wish, external: true, firm: true })
    expect([firm.status, firm.body.code, firm.body.errors[0].path]).toEqual([
      400,
      'validation-failed',
      'firm',
    ])
    expect(firm.body.detail).toContain('of another platform')
  })

  it('takes the second leg of a transfer plan at what it pays out, and where it states none takes no leg', async () => {
    const ends = { from: { currency: 'BRL', rail: 'PIX' }, to: { currency: 'BRL', rail: 'PIX' } }
    const plan = (more: object = {}) =>
      coinHouse.aggregator.post('/transfer-plans', { amount: '151.8', ...ends, external: true, ...more })
    expect((await plan()).body.detail).toContain('No anchor pays out BRL')
    // 0.5 COIN for one BRL, 0.1 + 2 % of fee.
    const offered = { enabled: true, min_amount: 5, max_amount: 2000 }
    const withdraw = { COIN: { enabled: true, min_amount: 1, max_amount: 500 } }
    const methods = { sell_delivery_methods: [{ name: 'PIX' }], buy_delivery_methods: [{ name: 'PIX' }] }
    coinHouse.server.on('/sep24/info', json({ deposit: { COIN: offered }, withdraw }))
    coinHouse.server.on(
      '/sep38/info',
      json({ assets: [{ asset: 'iso4217:BRL', country_codes: ['BRA'], ...methods }] }),
    )
    let asked: Record<string, string> = {}
    coinHouse.server.on('/sep38/price', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', coinHouse.server.url)
      const sold = searchParams.get('sell_amount')
      if (sold === null) return price(response, amountIn(request.url), '1.5')
      asked = Object.fromEntries(searchParams)
      const total = String(0.1 + Number(sold) / 50)
      send(response, { price: '0.5', fee: { total, asset: `stellar:COIN:${issuer}` } })
    })
    const { anchor } = (await register()).body
    expect(asked).toMatchObject({
      sell_asset: `stellar:COIN:${issuer}`,
      buy_asset: 'iso4217:BRL',
      buy_delivery_method: 'PIX',
      // As the anchor wrote it; the registry has two letters.
      country_code: 'BRA',
    })
    expect(anchor.external.withdrawalRails).toEqual(['PIX'])
    expect(anchor.assets[0].terms.withdrawal).toEqual({
      min: '1',
      max: '500',
      fees: { fixed: '0.1', percentage: '0.02' },
      prices: { BRL: '2' },
    })
    await waitUntil('its payouts are known', async () => {
      const { external, current_availability } = (await coinHouse.aggregator.get(`/anchors/${anchor.id}`))
        .body.anchor
      return external.withdrawalRails !== undefined && current_availability
    })
    const [best] = (await plan()).body.plans
    // 151.8 BRL buy 100 COIN; (100 - 2.1) × 2.
    expect(best.deposit).toMatchObject({ buyAmount: '100', external: true })
    expect(best.withdrawal).toMatchObject({
      sellAmount: '100',
      buyAmount: '195.8',
      fee: { total: '2.1' },
      external: true,
      unknown: ['capacity', 'settlement'],
    })
    expect((await plan({ amount: '900' })).body.detail).toContain('No asset leads from')
    expect((await plan({ external: false })).status).toBe(404)

    // Nobody's prices make the plans of others fail.
    const any = { COIN: { enabled: true, min_amount: 5, max_amount: 100_000_000_000 } }
    coinHouse.server.on('/sep24/info', json({ deposit: any, withdraw: any }))
    coinHouse.server.on('/sep38/price', (request, response) => {
      const pays = new URL(request.url ?? '', coinHouse.server.url).searchParams.has('sell_amount')
      const fee = { total: '0', asset: `stellar:COIN:${issuer}` }
      send(response, { price: pays ? '0.000000000001' : '0.00000001', fee })
    })
    await register()
    await waitUntil('its new prices are known', async () => {
      const { assets } = (await coinHouse.aggregator.get(`/anchors/${anchor.id}`)).body.anchor
      return assets[0].terms.withdrawal.prices.BRL === '1000000000000'
    })
    const absurd = await plan({ amount: '1000' })
    expect([absurd.status, absurd.body.plans?.[0]?.rate]).toEqual([201, '1' + '0'.repeat(20)])
    coinHouse.server.on('/sep24/info', json({ deposit: { COIN: offered } }))
    coinHouse.server.on('/sep38/price', (request, response) => price(response, amountIn(request.url), '1.5'))
    await register()
  })

  it('is handed over to wallets with its own endpoints and key', async () => {
    const { decisionId } = (await route()).body
    const { status, body } = await coinHouse.aggregator.post('/transactions/start', { decisionId })
    expect([status, body.signingKey, body.endpoints.transferServerSep24]).toEqual([
      200,
      key.publicKey,
      `${coinHouse.server.url}/sep24`,
    ])
    const refused = await route({ amount: '1' })
    expect([refused.status, refused.body.code]).toEqual([404, 'no-eligible-anchor'])
    expect(refused.body.rejected.byRule).toEqual({ limits: 1 })
  })

  it('has its prices read again with each check, and leaves the routing while a wallet could not use it', async () => {
    const { anchorId } = (await route()).body
    const check = () => coinHouse.aggregator.deps.health.probeNow({ id: anchorId } as never)
    coinHouse.server.on('/sep38/price', (request, response) => price(response, amountIn(request.url), '1.75'))
    await check()
    await coinHouse.aggregator.deps.health.written()
    await waitUntil('the price is known', async () => {
      const { body } = await coinHouse.aggregator.post('/quotes', { ...wish, external: true })
      return body.fxRate === '1.75'
    })
    coinHouse.server.on(FILE, text(file({ SIGNING_KEY: generateKey().publicKey })))
    await check()
    expect((await route()).body.rejected.byRule).toEqual({ availability: 1 })
    coinHouse.server.on(FILE, text(file()))
    coinHouse.server.on('/auth', (request, response) =>
      sendChallenge(response, accountIn(request.url), generateKey().secret),
    )
    await check()
    await coinHouse.aggregator.deps.health.written()
    const { health } = (await coinHouse.aggregator.get(`/anchors/${anchorId}`)).body
    expect(health[0].steps.at(-1)).toMatchObject({
      step: 'challenge',
      ok: false,
      failure: 'challenge-not-signed',
    })
    expect(health[1].steps.at(-1)).toMatchObject({ step: 'file', failure: 'another-signing-key' })
  })
})
