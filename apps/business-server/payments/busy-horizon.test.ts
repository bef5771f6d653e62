import { createHorizon } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import fc from 'fast-check'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'

/** What a Horizon that has too much to do answers to one request; `lost`: it does what was asked and then fails. */
const moods = ['well', 429, 500, 503, 'lost'] as const
type Mood = (typeof moods)[number]

let anchor: LedgerAnchor
let ahead: Mood[] = []
let refused = 0
const proxy = createServer(async (request, response) => {
  const mood = ahead.shift() ?? 'well'
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (typeof mood === 'number') {
    refused++
    const wait = mood === 429 ? { 'retry-after': '0' } : {}
    return void response.writeHead(mood, wait).end(mood === 429 ? '{}' : '<html>Internal Server Error</html>')
  }
  const sends = request.method === 'POST'
  const answer = await fetch(anchor.network.url + request.url, {
    ...(sends ? { method: 'POST', body: Buffer.concat(chunks) } : {}),
    headers: { accept: 'application/json', 'content-type': request.headers['content-type'] ?? 'text/plain' },
  })
  const body = await answer.text()
  if (mood === 'lost') {
    refused++
    return void response.writeHead(500).end('{}')
  }
  const latest = answer.headers.get('latest-ledger')
  response.writeHead(answer.status, latest ? { 'latest-ledger': latest } : {}).end(body)
})

const busyHorizon = () => {
  const { port } = proxy.address() as AddressInfo
  return createHorizon({ url: `http://127.0.0.1:${port}`, passphrase: anchor.network.passphrase })
}

beforeAll(async () => {
  anchor = await LedgerAnchor.start()
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  await anchor.issue()
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await anchor.stop()
})

const schedule = fc.array(fc.constantFrom(...moods), { minLength: 8, maxLength: 40 })

it(
  'loses no payment and makes none twice where Horizon answers 429 and 500 at any request',
  { timeout: 120_000 },
  async () => {
    const horizon = busyHorizon()
    Object.assign(anchor.deps, { horizon, routineHorizon: horizon })
    await fc.assert(
      fc.asyncProperty(schedule, async moodsAhead => {
        // A second payment of the same person that belongs to nothing is held for an operator.
        const customer = await anchor.customerWithAsset()
        const before = Number(await anchor.held(customer))
        const receipts = async () =>
          (await anchor.rows<{ amount: string }>('select amount::text from ledger_receipts where amount = 3'))
            .length
        const seen = await receipts()
        await anchor.queue(customer.publicKey, { amount: '10' })
        await anchor.sendBack(customer, '3')
        ahead = [...moodsAhead]
        for (let round = 0; round < 60; round++) {
          await anchor.pay().catch(() => undefined)
          await observePayments(anchor.deps).catch(() => undefined)
          const open = (await anchor.payments()).filter(({ state }) => state !== 'paid')
          if (open.length === 0 && (await receipts()) === seen + 1) break
        }
        ahead = []
        expect((await anchor.payments()).filter(({ state }) => state !== 'paid')).toEqual([])
        expect(await receipts()).toBe(seen + 1)
        // Ten came, three were sent, and what belonged to nothing was returned.
        expect(Number(await anchor.held(customer))).toBe(before + 10)
      }),
      { numRuns: 8 },
    )
    expect(refused).toBeGreaterThan(20)
  },
)

it(
  'issues an asset once where Horizon answers 429 and 500 at any request',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async moodsAhead => {
        const [issuer, distribution] = [generateKey(), generateKey()]
        for (const account of [issuer, distribution]) await anchor.fund(account)
        const given = {
          networkPassphrase: anchor.network.passphrase,
          store: memoryEnvelopes(),
          issuer: seedSigner(issuer.secret),
          distribution: seedSigner(distribution.secret),
          assetCode: 'BUSY',
          further: [],
          amount: '1000000',
          homeDomain: 'busy.anchors.localhost',
          reference: 'anchor',
        }
        ahead = [...moodsAhead]
        let issued = false
        for (let attempt = 0; attempt < 60 && !issued; attempt++)
          issued = await issueAsset({ ...given, horizon: busyHorizon() }).then(
            () => true,
            () => false,
          )
        ahead = []
        expect(issued).toBe(true)
        const account = await anchor.horizon.account(distribution.publicKey)
        expect(account?.balances.find(({ asset }) => asset !== 'native')?.balance).toBe('1000000.0000000')
      }),
      { numRuns: 5 },
    )
  },
)
