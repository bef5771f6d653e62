import { createOutboundOnce } from '@windlass/service/outbound/outbound-once.ts'
import type { Outbound } from '@windlass/service/outbound/outbound.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, startAnchorServer, text, type AnchorServer } from '../testing/anchor-server.ts'
import { PROBE_MS, probe } from './probe.ts'

let server: AnchorServer
let outbound: Outbound
type Respond = Parameters<AnchorServer['on']>[1]

beforeAll(async () => {
  outbound = createOutboundOnce({ allowPrivate: true })
})
afterAll(() => outbound.close())
beforeEach(async () => {
  server = await startAnchorServer()
  return () => server.close()
})

const probed = () => probe(outbound, { apiUrl: server.url, summarySecret: 'secret-of-the-summary' })

describe('a probe', () => {
  it('reads capacity and state from the summary, which alone gets the secret', async () => {
    server.on('/admin/summary', json({ status: 'ok', treasury_capacity: '12.5', assets: [] }))
    expect(await probed()).toMatchObject({ available: true, capacity: 125_000_000n, source: 'summary' })
    server.on('/admin/summary', json({}, 401))
    server.on('/health', json({ status: 'ok', checks: {} }))
    expect(await probed()).toMatchObject({ available: true, source: 'health', capacity: undefined })
    const health = server.requests.find(({ line }) => line === 'GET /health')
    expect(health?.headers['x-service-secret']).toBeUndefined()
  })

  it.each<[string, Respond, Respond | null, object]>([
    [
      'a summary that says it is not well',
      json({ status: 'failing' }),
      json({ status: 'ok' }),
      { available: false, failure: 'not-ok' },
    ],
    [
      'a summary of nonsense and a good health page',
      text('<html>'),
      json({ status: 'ok' }),
      { available: true },
    ],
    [
      'a capacity of nonsense',
      json({ status: 'ok', treasury_capacity: 'lots' }),
      json({ status: 'ok' }),
      { available: true, capacity: undefined },
    ],
    [
      'a negative capacity',
      json({ status: 'ok', treasury_capacity: '-5' }),
      null,
      { available: true, capacity: 0n },
    ],
    [
      'a capacity as a number',
      json({ treasury_capacity: 7 }),
      null,
      { available: true, capacity: 70_000_000n },
    ],
    ['a health page in one word', json({}, 404), text('OK'), { available: true, source: 'health' }],
    ['nonsense everywhere', text('}{'), text('<h1>hello</h1>'), { available: false, failure: 'nonsense' }],
    ['a JSON list', json([1]), json([1]), { available: false, failure: 'nonsense' }],
    ['errors everywhere', json({}, 500), json({}, 503), { available: false, failure: 'status-503' }],
    ['a health page that says down', json({}, 404), json({ status: 'DOWN' }), { available: false }],
  ])('judges %s', async (_what, summary, health, verdict) => {
    server.on('/admin/summary', summary)
    if (health) server.on('/health', health)
    expect(await probed()).toMatchObject(verdict)
  })
})

const hang: Respond = () => undefined
const drip: Respond = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}
const endless: Respond = (_request, response) => {
  response.writeHead(200)
  const chunk = 'x'.repeat(65_536)
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

describe('a hostile server', () => {
  it.each<[string, Respond, string]>([
    ['never ends', endless, 'too-long'],
    [
      'redirects',
      (_request, response) => response.writeHead(302, { location: '/admin/summary' }).end(),
      'redirect',
    ],
    ['hangs up', request => request.socket.destroy(), 'unreachable'],
    ['speaks no HTTP', request => request.socket.end('I am a teapot\r\n\r\n'), 'unreachable'],
    [
      'sends endless headers',
      request => request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
      'unreachable',
    ],
  ])('that %s is unavailable within five seconds', async (_what, respond, failure) => {
    server.on('*', respond)
    const result = await probed()
    expect(result).toMatchObject({ available: false, failure })
    expect(result.latencyMs).toBeLessThan(PROBE_MS + 1_500)
  })

  it('that hangs or drips is unavailable within five seconds', async () => {
    const dripping = await startAnchorServer()
    server.on('*', hang)
    dripping.on('*', drip)
    const results = await Promise.all([
      probed(),
      probe(outbound, { apiUrl: dripping.url, summarySecret: null }),
    ])
    for (const result of results) {
      expect(result).toMatchObject({ available: false, failure: 'timeout' })
      expect(result.latencyMs).toBeLessThan(PROBE_MS + 1_500)
    }
    await dripping.close()
  })

  it('is not even asked at an address that is not public, however it is written', async () => {
    const strict = createOutboundOnce({ allowPrivate: false })
    const port = new URL(server.url).port
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '10.0.0.1',
      '0',
      '2130706433',
      '0x7f.1',
    ]) {
      const result = await probe(strict, { apiUrl: `http://${host}:${port}`, summarySecret: null })
      expect([host, result.available, result.failure]).toEqual([host, false, 'refused-address'])
    }
    expect(server.requests).toEqual([])
    await strict.close()
  })
})
