import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ISSUER, testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import {
  json,
  startAnchorServer,
  startTlsAnchorServer,
  text,
  type AnchorServer,
} from '../testing/anchor-server.ts'

let aggregator: TestAggregator
let server: AnchorServer
const clock = fakeClock()
const ACCOUNT = `G${'C'.repeat(55)}`
const toml = `
# discovery
VERSION = "2.7.0"
NETWORK_PASSPHRASE = "Local Network"
SIGNING_KEY = "${ISSUER}"
WEB_AUTH_ENDPOINT = "http://mumbai.anchors.localhost/auth"
TRANSFER_SERVER_SEP0024 = "http://mumbai.anchors.localhost/sep24"
KYC_SERVER = "javascript:alert(1)"
ANCHOR_QUOTE_SERVER = 5
[[CURRENCIES]]
code = "USDC"
issuer = "${ISSUER}"
`
const wish = { amount: '100', currency: 'INR', asset: 'USDC', rail: 'UPI' }
const discovery = '/.well-known/stellar.toml'

beforeAll(async () => {
  server = await startAnchorServer()
  aggregator = await testAggregator({
    clock,
    env: { ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost', ANCHOR_INGRESS: server.url },
  })
  server.on('/health', json({ status: 'ok' }))
  server.on(discovery, text(toml, { etag: '"one"' }))
  await register()
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})
beforeEach(() => {
  clock.advance(3_600_000)
  server.on(discovery, text(toml, { etag: '"one"' }))
})

const register = (more: object = {}) =>
  aggregator.register({
    ...{ id: 'mumbai', slug: 'mumbai', domain: 'mumbai.anchors.localhost' },
    ...{ apiUrl: server.url, signingKey: ISSUER, ...more },
  })
const asked = () => server.requests.filter(({ line }) => line.endsWith(discovery))
const start = (body: object) => aggregator.post('/transactions/start', body)

describe('POST /transactions/start', () => {
  it('hands over the endpoints of the discovery file, fetched through the ingress with the Host kept', async () => {
    const { status, body } = await start({ anchorId: 'mumbai', account: ACCOUNT })
    expect(status).toBe(200)
    expect(body).toEqual({
      anchorId: 'mumbai',
      homeDomain: 'mumbai.anchors.localhost',
      signingKey: ISSUER,
      networkPassphrase: 'Local Network',
      webAuthContract: null,
      endpoints: {
        webAuth: 'http://mumbai.anchors.localhost/auth',
        webAuthForContracts: null,
        transferServer: null,
        transferServerSep24: 'http://mumbai.anchors.localhost/sep24',
        kycServer: null,
        quoteServer: null,
        directPayment: null,
      },
      discoveryUrl: 'http://mumbai.anchors.localhost/.well-known/stellar.toml',
      challengeUrl: `http://mumbai.anchors.localhost/auth?account=${ACCOUNT}&home_domain=mumbai.anchors.localhost`,
    })
    expect(asked().at(-1)?.headers.host).toBe('mumbai.anchors.localhost')
    expect(JSON.stringify(body)).not.toContain(server.url)
  })

  it('says where contract accounts log in, and by which contract', async () => {
    const contract = `C${'D'.repeat(55)}`
    const login = 'http://mumbai.anchors.localhost/sep45/auth'
    const served = `WEB_AUTH_FOR_CONTRACTS_ENDPOINT = "${login}"\nWEB_AUTH_CONTRACT_ID = "${contract}"\n`
    server.on(discovery, text(`${served}${toml}`))
    const { body } = await start({ anchorId: 'mumbai', account: contract })
    expect([body.endpoints.webAuthForContracts, body.webAuthContract]).toEqual([login, contract])
    expect(body.challengeUrl).toBe(`${login}?account=${contract}&home_domain=mumbai.anchors.localhost`)
    server.on(discovery, text(toml))
    clock.advance(3_600_000)
    expect((await start({ anchorId: 'mumbai', account: contract })).body.challengeUrl).toBeUndefined()
  })

  it('goes by a quote, which it returns, or by a decision', async () => {
    const quote = (await aggregator.post('/quotes', wish)).body
    const byQuote = await start({ quoteId: quote.id })
    expect(byQuote.body).toMatchObject({ anchorId: 'mumbai', quote })
    const decision = (await aggregator.post('/route', wish)).body
    expect((await start({ decisionId: decision.decisionId })).body.anchorId).toBe('mumbai')
    expect((await start({ anchorId: 'mumbai.anchors.localhost' })).body.anchorId).toBe('mumbai')
    const other = await start({ decisionId: decision.decisionId, anchorId: 'other' })
    expect(other.status).toBe(400)
  })

  it('refuses a decision for an amount outside what are the limits of its anchor by now', async () => {
    const { decisionId, limits } = (await aggregator.post('/route', wish)).body
    expect(limits).toEqual({ min: '1', max: '1000000', within: true })
    await register({ limits: { min: '101', max: '1000000' } })
    const { status, body } = await start({ decisionId })
    expect([status, body.code]).toEqual([409, 'amount-outside-limits'])
    expect(body.detail).toContain('mumbai takes 101 to 1000000 in one transaction, not 100')
    await register()
  })

  it('refuses an expired quote with 410, and what is unknown with 404', async () => {
    const quote = (await aggregator.post('/quotes', wish)).body
    clock.advance(300_000)
    const expired = await start({ quoteId: quote.id })
    expect([expired.status, expired.body.code]).toEqual([410, 'quote-expired'])
    for (const [body, code] of [
      [{ quoteId: 'nope' }, 'quote-not-found'],
      [{ decisionId: 'nope' }, 'decision-not-found'],
      [{ anchorId: 'nope' }, 'anchor-not-found'],
    ] as const) {
      const answer = await start(body)
      expect([answer.status, answer.body.code]).toEqual([404, code])
    }
    expect((await start({})).status).toBe(400)
    expect((await start({ anchorId: 'mumbai', account: 'me' })).status).toBe(400)
  })

  it.each<[string, Parameters<AnchorServer['on']>[1]]>([
    ['is not TOML', text('<html>')],
    ['never ends', (_request, response) => void response.write('#'.repeat(200_000))],
    ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
    ['is gone', json({}, 404)],
  ])('answers 502 where the file %s', async (_what, respond) => {
    server.on(discovery, respond)
    const { status, body } = await start({ anchorId: 'mumbai' })
    expect([status, body.code]).toEqual([502, 'discovery-unreachable'])
  })

  it.each([
    ['another signing key', toml.replace(`SIGNING_KEY = "${ISSUER}"`, `SIGNING_KEY = "G${'B'.repeat(55)}"`)],
    ['no signing key', toml.replace('SIGNING_KEY', 'OTHER_KEY')],
    ['another issuer', toml.replace(`issuer = "${ISSUER}"`, `issuer = "G${'B'.repeat(55)}"`)],
  ])('answers 502 where the file carries %s and the registry knows better', async (_what, file) => {
    server.on(discovery, text(file))
    const { status, body } = await start({ anchorId: 'mumbai' })
    expect([status, body.code]).toEqual([502, 'discovery-mismatch'])
  })

  it('answers 502 where a file that is read over https names an endpoint that is not', async () => {
    const domain = 'sealed.anchors.example'
    const sealed = await startTlsAnchorServer(domain)
    const behind = await testAggregator({
      env: { ANCHOR_DOMAIN_SUFFIX: 'anchors.example', ANCHOR_INGRESS: sealed.url },
    })
    try {
      sealed.on('/health', json({ status: 'ok' }))
      await behind.register({ id: 'sealed', slug: 'sealed', domain, apiUrl: sealed.url, signingKey: ISSUER })
      const ask = () => behind.post('/transactions/start', { anchorId: 'sealed' })
      const file = `SIGNING_KEY = "${ISSUER}"\nWEB_AUTH_ENDPOINT = "https://${domain}/auth"\n`
      sealed.on(
        discovery,
        text(`${file}KYC_SERVER = "http://${domain}/kyc"\n`, { 'cache-control': 'no-store' }),
      )
      const { status, body } = await ask()
      expect([status, body.code]).toEqual([502, 'discovery-mismatch'])
      expect(body.detail).toContain(`http://${domain}/kyc is not https`)
      sealed.on(discovery, text(file, { 'cache-control': 'no-store' }))
      expect((await ask()).body.endpoints).toMatchObject({
        webAuth: `https://${domain}/auth`,
        kycServer: null,
      })
    } finally {
      await behind.drop()
      await sealed.close()
    }
  })

  it('refuses an anchor that is not active', async () => {
    await aggregator.register({ id: 'paused', status: 'suspended' })
    const { status, body } = await start({ anchorId: 'paused' })
    expect([status, body.code]).toEqual([409, 'anchor-wrong-state'])
  })
})
