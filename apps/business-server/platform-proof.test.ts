import {
  PLATFORM_PROOF_HEADER,
  platformKey,
  provingFetch,
  READER_HEADER,
} from '@windlass/service/http/platform-proof.ts'
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusinessApp, startBusinessApp } from './testing/business-app.ts'

let business: BusinessApp
let address: string
let now = Date.now()
beforeAll(async () => {
  const keys = { verify: () => Promise.resolve(null) }
  business = await startBusinessApp({ keys, clock: { now: () => new Date(now) } })
  address = `http://localhost:${await business.server.listen(0, 'localhost')}`
})
afterAll(() => business.close())

interface Heard {
  path: string
  init: RequestInit & { headers: Record<string, string> }
}

/** What someone hears who has the port of an anchor's server for a moment, or reads what it reads. */
async function hear(path: string, init: RequestInit): Promise<Heard> {
  const heard: Heard[] = []
  const secret = { 'x-service-secret': business.deps.config.secrets.summary }
  const proving = provingFetch(platformKey(business.deps.config.secrets.service), business.deps.clock, sent)
  await proving(address + path, { ...init, headers: { ...secret, ...(init.headers as object) } })
  return heard[0] as Heard

  function sent(url: string, request: RequestInit): Promise<Response> {
    heard.push({ path: url.slice(address.length), init: request as Heard['init'] })
    return Promise.resolve(new Response())
  }
}

const send = ({ path, init }: Heard) => fetch(address + path, init)
const withHeader = ({ path, init }: Heard, name: string, value: string): Heard => ({
  path,
  init: { ...init, headers: { ...init.headers, [name]: value } },
})
const settings = (low: string) => ({
  ...{ low, ceiling: null, coldAccount: null, xlmLow: '1', by: 'operator:usr_1' },
})
const change = () =>
  hear('/admin/treasury-settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
    body: JSON.stringify(settings('5000')),
  })
const versions = async () =>
  (await business.deps.database.pool.query('select version from treasury_settings')).rows

describe('who heard one proven request of the platform', () => {
  it('changes nothing with it', async () => {
    const heard = await change()
    const { init } = heard
    const stolen: [string, Heard][] = [
      ['other body', { ...heard, init: { ...init, body: JSON.stringify(settings('1')) } }],
      ['longer body', { ...heard, init: { ...init, body: `${String(init.body)} ` } }],
      ['no body', { ...heard, init: { ...init, body: null } }],
      ['other path', { ...heard, path: '/admin/settings' }],
      ['other query', { ...heard, path: `${heard.path}?a=1` }],
      ['other method', { ...heard, init: { ...init, method: 'POST' } }],
      ['other key, to do it again', withHeader(heard, 'idempotency-key', 'k2')],
      ['more to read', withHeader(heard, READER_HEADER, 'read,compliance,payers')],
    ]
    for (const [what, request] of stolen) {
      const status = (await send(request)).status
      expect([what, what === 'other method' ? status === 404 || status === 405 : status]).toEqual([
        what,
        what === 'other method' ? true : 401,
      ])
    }
    expect(await versions()).toEqual([])
  })

  it('does what was asked once, however often it is sent, and nothing a minute later', async () => {
    const heard = await change()
    expect((await send(heard)).status).toBe(200)
    const again = await send(heard)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    now += 60_001
    expect((await send(heard)).status).toBe(401)
    expect(await versions()).toHaveLength(1)
    now -= 120_002
    expect((await send(heard)).status).toBe(401)
    now += 60_001
  })

  it('reads nothing else with it', async () => {
    const heard = await hear('/api/v1/transactions?limit=1', { headers: { [READER_HEADER]: 'read' } })
    expect((await send(heard)).status).toBe(200)
    const others = [
      { ...heard, path: '/api/v1/transactions?limit=2' },
      { ...heard, path: '/api/v1/customers?limit=1' },
      withHeader(heard, READER_HEADER, 'read,payers'),
    ]
    for (const other of others) expect((await send(other)).status).toBe(401)
  })
})

describe('who has one of the two secrets alone', () => {
  const reads = ['customers', 'screening-hits', 'transactions', 'statement-lines', 'cases'].map(
    list => `/api/v1/${list}?limit=1`,
  )

  it('reads no customer and changes nothing: the key of proofs, as the platform’s database had it', async () => {
    const ask = provingFetch(platformKey(business.deps.config.secrets.service), business.deps.clock)
    const before = await versions()
    for (const path of [...reads, '/admin/summary', '/admin/settings'])
      expect([path, (await ask(address + path, {})).status]).toEqual([path, 401])
    const init = {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k3' },
      body: JSON.stringify(settings('7')),
    }
    expect((await ask(`${address}/admin/treasury-settings`, init)).status).toBe(401)
    expect(await versions()).toEqual(before)
  })

  it('reads no customer and changes nothing: the summary secret, which the aggregator has', async () => {
    const headers = { 'x-service-secret': business.deps.config.secrets.summary }
    const before = await versions()
    for (const path of reads)
      expect([path, (await fetch(address + path, { headers })).status]).toEqual([path, 401])
    const init = {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'k4' },
      body: JSON.stringify(settings('7')),
    }
    expect((await fetch(`${address}/admin/treasury-settings`, init)).status).toBe(401)
    expect(await versions()).toEqual(before)
  })
})

it('neither the constant of earlier releases nor a changed proof is one', async () => {
  const heard = await change()
  const before = await versions()
  const proof = heard.init.headers[PLATFORM_PROOF_HEADER] ?? ''
  const { service } = business.deps.config.secrets
  const constant = createHmac('sha256', platformKey(service)).update('windlass platform').digest('base64url')
  const [time = '', body, mac] = proof.split('.')
  const forged = [
    ...['', '.', '..', 'x', constant, `${time}.${body}`, `${proof}.`, `${proof}.x`],
    ...[`${Number(time) + 1}.${body}.${mac}`, `0${proof}`, `NaN.${body}.${mac}`, `${time}..${mac}`],
  ]
  for (const each of forged)
    expect([each, (await send(withHeader(heard, PLATFORM_PROOF_HEADER, each))).status]).toEqual([each, 401])
  expect(await versions()).toEqual(before)
})
