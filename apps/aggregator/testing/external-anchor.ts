import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { buildChallenge } from '@windlass/stellar/sep10-challenge.ts'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { testAggregator, type TestAggregator } from './aggregator.ts'
import { json, startAnchorServer, text, type AnchorServer } from './anchor-server.ts'

export const PASSPHRASE = 'Test SDF Network ; September 2015'
export const FILE = '/.well-known/stellar.toml'
export const key = generateKey()
export const issuer = generateKey().publicKey
export const wish = { amount: '100', asset: 'COIN', rail: 'PIX', region: 'BR', currency: 'BRL' }

export function price(response: ServerResponse, amount: number, each: string): void {
  const total = String(0.2 + amount / 100)
  send(response, { price: each, fee: { total, asset: `stellar:COIN:${issuer}` } })
}

export const send = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/**
 * An anchor of another platform and an aggregator, for the tests of a file: 1.5 BRL for a coin, 0.2 + 1 % of fee, PIX in
 * Brazil.
 */
export function externalAnchor() {
  let aggregator: TestAggregator
  let server: AnchorServer

  beforeAll(async () => {
    server = await startAnchorServer()
    aggregator = await testAggregator({
      env: {
        NETWORK_PASSPHRASE: PASSPHRASE,
        ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
        ANCHOR_INGRESS: server.url,
      },
    })
  })
  afterAll(async () => {
    await aggregator.drop()
    await server.close()
  })

  beforeEach(() => {
    server.on(FILE, text(file()))
    server.on('/auth', (request, response) => sendChallenge(response, accountIn(request.url), key.secret))
    server.on('/sep24/info', json({ deposit: { COIN: { enabled: true, min_amount: 5, max_amount: 2000 } } }))
    server.on(
      '/sep38/info',
      json({
        assets: [
          { asset: `stellar:COIN:${issuer}` },
          { asset: 'iso4217:BRL', country_codes: ['BR'], sell_delivery_methods: [{ name: 'PIX' }] },
        ],
      }),
    )
    server.on('/sep38/price', (request, response) => price(response, amountIn(request.url), '1.5'))
  })

  const file = (changes: Record<string, string> = {}) => {
    const fields = {
      NETWORK_PASSPHRASE: PASSPHRASE,
      SIGNING_KEY: key.publicKey,
      WEB_AUTH_ENDPOINT: `${server.url}/auth`,
      TRANSFER_SERVER_SEP0024: `${server.url}/sep24`,
      ANCHOR_QUOTE_SERVER: `${server.url}/sep38`,
      ...changes,
    }
    const lines = Object.entries(fields).map(([name, value]) => `${name} = "${value}"`)
    return [...lines, '[DOCUMENTATION]', 'ORG_NAME = "Coin House"', '[[CURRENCIES]]', 'code = "COIN"']
      .concat(`issuer = "${issuer}"`, 'anchor_asset = "BRL"')
      .join('\n')
  }

  const accountIn = (url = '') => new URL(url, server.url).searchParams.get('account') ?? ''
  const amountIn = (url = '') => Number(new URL(url, server.url).searchParams.get('buy_amount'))

  function sendChallenge(
    response: ServerResponse,
    account: string,
    secret: string,
    network = PASSPHRASE,
  ): void {
    const terms = {
      server: signerFromSeed(secret).address,
      networkPassphrase: network,
      homeDomain: server.host,
      webAuthDomain: server.host,
    }
    const transaction = buildChallenge(signerFromSeed(secret), terms, { account }, new Date())
    send(response, { transaction, network_passphrase: network })
  }

  const register = (homeDomain = server.host) => aggregator.post('/external-anchors', { homeDomain })
  const route = (more: object = {}) => aggregator.post('/route', { ...wish, external: true, ...more })

  return {
    get server() {
      return server
    },
    get aggregator() {
      return aggregator
    },
    ...{ file, accountIn, amountIn, sendChallenge, register, route },
  }
}
