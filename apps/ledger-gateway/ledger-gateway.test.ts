import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { listChangedAccounts } from '@windlass/stellar/changed-accounts.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { readAccount, readAccountAnswer } from '@windlass/stellar/horizon-account.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import Fastify from 'fastify'
import { execFile } from 'node:child_process'
import { createServer, request as httpRequest, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { start } from './start.ts'

const run = promisify(execFile)
const canChangeUser =
  process.getuid?.() === 0 &&
  (await run(process.execPath, ['-v'], { uid: 1_234, cwd: '/' }).then(
    () => true,
    () => false,
  ))
const logger = Fastify().log
const keys = Array.from({ length: 20 }, generateKey)
const [first = generateKey(), second = generateKey()] = keys

let network: LocalNetwork
let horizon: Horizon
let gateway: Awaited<ReturnType<typeof start>>
let url: string
const clock = fakeClock()
const streams = new AbortController()

beforeEach(async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  horizon = await startHorizon(() => network.url)
  gateway = await start(
    { port: 0, bindHost: '127.0.0.1', horizon: { ...network, url: horizon.url } },
    logger,
    { clock },
  )
  url = `http://127.0.0.1:${gateway.port}`
})
afterEach(async () => {
  await gateway.stop()
  horizon.close()
  await network.stop()
})

describe('the ledger gateway', () => {
  it('asks Horizon less than once a minute for each idle anchor, however often it looks', async () => {
    await fund(first.publicKey)
    await live()
    for (const { publicKey } of keys) await look(publicKey)
    const before = horizon.requests.length
    const minutes = 5
    for (let looks = 0; looks < minutes * 2; looks++) {
      clock.advance(30_000)
      network.close()
      await Promise.all(keys.map(({ publicKey }) => look(publicKey)))
    }
    expect((horizon.requests.length - before) / minutes / keys.length).toBeLessThan(1)
  })

  it('wakes those who listen for an account at its payments, and then answers with them', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    const woken = listen(second.publicKey)
    const others = listen(generateKey().publicKey)
    await expect.poll(() => woken.count).toBeGreaterThan(0)
    const payments = async () => (await look(second.publicKey))._embedded.records.length
    const [before, wokenBefore, othersBefore] = [await payments(), woken.count, others.count]
    await issue()
    await expect.poll(() => woken.count).toBeGreaterThan(wokenBefore)
    expect(await payments()).toBe(before + 1)
    expect(others.count).toBe(othersBefore)
  })

  it('reads on within half a minute where the stream of payments stays open and says nothing', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    const payments = async () => (await look(second.publicKey))._embedded.records.length
    await payments()
    clock.advance(120_000)
    const before = await payments()
    const { now } = (await listChangedAccounts(ledger(), '')) ?? { now: '' }
    horizon.isMute = true
    await issue(network.url)
    // Anchors look every 24 s.
    await expect
      .poll(async () => (await createHorizon(ledger(), 'routine').head()).sequence)
      .toBe(network.latestLedger)
    expect(await payments()).toBe(before)
    clock.advance(24_000)
    await expect.poll(payments).toBe(before + 1)
    expect((await listChangedAccounts(ledger(), now))?.accounts).toBeNull()
  })

  it('names at once the accounts of all that had a payment, and says where it does not know', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    for (const { publicKey } of keys) await look(publicKey)
    const changes = (since = '') => listChangedAccounts(ledger(), since)
    expect((await changes())?.accounts).toBeNull()
    await expect.poll(async () => (await changes((await changes())?.now))?.accounts).toEqual([])
    const before = await changes()
    await issue()
    // The issuer pays the distribution account.
    await expect
      .poll(async () => (await changes(before?.now))?.accounts?.toSorted())
      .toEqual([first.publicKey, second.publicKey].toSorted())
    expect((await changes('another-process/0'))?.accounts).toBeNull()
    expect((await changes('nonsense'))?.accounts).toBeNull()
  })

  it('knows what changed also in the moments in which Horizon ends its streams, and not after longer', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    for (const { publicKey } of keys) await look(publicKey)
    const changed = async (since = '') => listChangedAccounts(ledger(), since)
    await expect.poll(async () => (await changed((await changed())?.now))?.accounts).toEqual([])
    const before = await changed()
    const release = await horizon.holdStreams()
    await issue()
    const meanwhile = await changed(before?.now)
    expect(meanwhile?.accounts).toEqual([])
    const present = performance.now()
    const later = vi.spyOn(performance, 'now').mockReturnValue(present + 60_000)
    expect((await changed(before?.now))?.accounts).toBeNull()
    later.mockRestore()
    release()
    await expect
      .poll(async () => (await changed(meanwhile?.now))?.accounts?.toSorted())
      .toEqual([first.publicKey, second.publicKey].toSorted())
  })

  it('receives a ledger of many payments in one stream, for each costs a request', async () => {
    await live()
    const { streams } = horizon
    for (const { publicKey } of keys) await fund(publicKey)
    const woken = listen(first.publicKey)
    await expect.poll(() => woken.count).toBeGreaterThan(0)
    expect(horizon.streams).toBe(streams)
  })

  it('finds an account behind all that a contract’s call can contain', async () => {
    await fund(first.publicKey)
    await live()
    await look(first.publicKey)
    const since = (await listChangedAccounts(ledger(), ''))?.now ?? ''
    const parameters = 'A'.repeat(180_000)
    horizon.sendPayment({ parameters, asset_balance_changes: [{ to: first.publicKey }] })
    await expect
      .poll(async () => (await listChangedAccounts(ledger(), since))?.accounts)
      .toEqual([first.publicKey])
  })

  it('says of what it knew before a payment that it is older, while only people’s requests are sent', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    const { publicKey } = second
    const linesOf = async (urgency: 'routine' | 'person') => {
      const { account, ageMs } = await readAccountAnswer(ledger(), publicKey, urgency)
      return { lines: account?.balances.length, ageMs }
    }
    expect(await linesOf('routine')).toMatchObject({ lines: 1 })
    const since = (await listChangedAccounts(ledger(), ''))?.now ?? ''
    clock.advance(10_000)
    await issue(network.url)
    const changed = async () => (await listChangedAccounts(ledger(), since))?.accounts
    await expect.poll(changed).toContain(publicKey)
    horizon.remaining = 40
    await readAccount(ledger(), first.publicKey, 'money')
    const routine = await linesOf('routine')
    expect(routine.lines).toBe(1)
    expect(routine.ageMs).toBeGreaterThanOrEqual(10_000)
    const person = await linesOf('person')
    expect(person.lines).toBe(2)
    expect(person.ageMs).toBeLessThanOrEqual(1_000)
  })

  it('says how old an answer is that another request began', async () => {
    await fund(first.publicKey)
    await live()
    const release = horizon.holdAnswers()
    const path = `${url}/accounts/${first.publicKey}`
    const asked = horizon.requests.length
    const earlier = fetch(path)
    await expect.poll(() => horizon.requests.length).toBe(asked + 1)
    clock.advance(12_000)
    const later = fetch(path)
    await expect.poll(async () => (await fetch(`${url}/health/live`)).status).toBe(200)
    release()
    for (const answer of await Promise.all([earlier, later]))
      expect(Number(answer.headers.get('age'))).toBeGreaterThanOrEqual(12)
    expect(horizon.requests).toHaveLength(asked + 1)
  })

  it('does not keep what an account was before a payment that nobody listens for', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    await live()
    const lines = async () => (await readAccount(ledger(), second.publicKey, 'routine'))?.balances.length
    clock.advance(60_000)
    expect(await lines()).toBe(1)
    await issue()
    await expect.poll(lines).toBe(2)
  })

  it('answers with what it last knew, and its age, while Horizon limits requests', async () => {
    await fund(first.publicKey)
    await live()
    const before = await readAccount(ledger(), first.publicKey)
    horizon.mood = 429
    clock.advance(120_000)
    const answer = await fetch(`${url}/accounts/${first.publicKey}`)
    expect(answer.status).toBe(200)
    expect(Number(answer.headers.get('age'))).toBeGreaterThanOrEqual(120)
    expect(await readAccount(ledger(), first.publicKey)).toEqual(before)
    const unknown = await fetch(`${url}/accounts/${second.publicKey}`)
    expect(unknown.status).toBe(429)
    expect(Number(unknown.headers.get('retry-after'))).toBeGreaterThan(0)
    const asked = horizon.requests.length
    await fetch(`${url}/accounts/${generateKey().publicKey}`)
    expect(horizon.requests).toHaveLength(asked)
  })

  it('does not try its streams again before the time that Horizon asked for', async () => {
    await gateway.stop()
    Object.assign(horizon, { mood: 429, streams: 0 })
    gateway = await start(
      { port: 0, bindHost: '127.0.0.1', horizon: { ...network, url: horizon.url } },
      logger,
      { clock },
    )
    url = `http://127.0.0.1:${gateway.port}`
    await expect.poll(() => horizon.streams).toBe(2)
    for (let looks = 0; looks < 20; looks++) await fetch(`${horizon.url}/`)
    expect(horizon.streams).toBe(2)
  })

  it('keeps no paths, whose amounts strangers choose: they would displace all else', async () => {
    const answers = async () =>
      /^windlass_ledger_answers(?:\{[^}]*\})? (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
    await fund(first.publicKey)
    await look(first.publicKey)
    const before = await answers()
    expect(Number(before)).toBeGreaterThan(0)
    const asset = 'source_asset_type=native&destination_assets=native'
    for (const amount of [1, 2, 3]) {
      const path = `/paths/strict-send?${asset}&source_amount=${amount}`
      expect((await fetch(url + path, { headers: { priority: 'u=7' } })).status).toBe(200)
    }
    expect(await answers()).toBe(before)
  })

  it('lets money through while everything else waits', async () => {
    await fund(first.publicKey)
    await live()
    horizon.remaining = 5
    await fetch(`${url}/accounts/${first.publicKey}`, { headers: { priority: 'u=0' } })
    const person = await fetch(`${url}/accounts/${second.publicKey}`)
    expect(person.status).toBe(429)
    const money = await fetch(`${url}/accounts/${second.publicKey}`, { headers: { priority: 'u=0' } })
    expect(money.status).toBe(404)
    expect(money.headers.get('latest-ledger')).toMatch(/^\d+$/)
  })

  it('passes on nothing of another network but what says so, in answers, submissions and streams', async () => {
    await fund(first.publicKey)
    await gateway.stop()
    const config = { port: 0, bindHost: '127.0.0.1', horizon: { url: horizon.url, passphrase: 'Ours' } }
    gateway = await start(config, logger, { clock })
    url = `http://127.0.0.1:${gateway.port}`
    for (const priority of ['u=0', 'u=3', 'u=7'])
      expect((await fetch(`${url}/accounts/${first.publicKey}`, { headers: { priority } })).status).toBe(504)
    const posts = () => horizon.requests.filter(path => path === '/transactions').length
    expect(
      (await fetch(`${url}/transactions`, { method: 'POST', body: new URLSearchParams({ tx: 'AAAA' }) }))
        .status,
    ).toBe(504)
    expect(posts()).toBe(0)
    const woken = listen(first.publicKey)
    await expect.poll(() => woken.count).toBe(1)
    await fund(second.publicKey)
    network.close()
    expect((await fetch(`${url}/ledgers?order=desc&limit=1`)).status).toBe(504)
    expect(woken.count).toBe(1)
    // Programs compare for themselves.
    expect(await (await fetch(`${url}/`)).json()).toMatchObject({ network_passphrase: network.passphrase })
    const health = await fetch(`${url}/health`)
    expect([health.status, await health.json()]).toMatchObject([503, { checks: { network: 'unavailable' } }])
  })

  it('never answers money from memory', async () => {
    await fund(first.publicKey)
    await live()
    const path = `/accounts/${first.publicKey}`
    await fetch(url + path)
    const before = horizon.requests.filter(each => each === path).length
    await fetch(url + path, { headers: { priority: 'u=0' } })
    await fetch(url + path, { headers: { priority: 'u=0' } })
    expect(horizon.requests.filter(each => each === path)).toHaveLength(before + 2)
  })

  it('passes a submission on once and says 504 where its answer is lost', async () => {
    await fund(first.publicKey)
    await fund(second.publicKey)
    horizon.mood = 'drops submissions'
    const lost = await fetch(`${url}/transactions`, {
      method: 'POST',
      body: new URLSearchParams({ tx: 'x' }),
    })
    expect(lost.status).toBe(504)
    horizon.mood = 'open'
    const refused = await fetch(`${url}/transactions`, {
      method: 'POST',
      body: new URLSearchParams({ tx: 'x' }),
    })
    expect(refused.status).toBe(400)
    expect(await issue()).toBe('applied')
  })

  it('asks once in a ledger for a transaction that is not there yet', async () => {
    await fund(first.publicKey)
    await live()
    const hash = 'ab'.repeat(32)
    const asked = async () => {
      expect(await createHorizon(ledger(), 'money').transaction(hash)).toBeNull()
      return horizon.requests.filter(path => path.endsWith(hash)).length
    }
    // Another instance may not have the ledger yet.
    expect([await asked(), await asked()]).toEqual([1, 2])
    clock.advance(1_500)
    expect([await asked(), await asked(), await asked()]).toEqual([3, 3, 3])
    const before = network.latestLedger
    network.close()
    await expect.poll(async () => (await createHorizon(ledger(), 'routine').head()).sequence).toBe(before + 1)
    expect(await asked()).toBe(4)
    clock.advance(11_000)
    expect(await asked()).toBe(5)
  })

  it('knows the last ledger without asking, and notices when the network was reset', async () => {
    await fund(first.publicKey)
    await live()
    const head = async () => (await createHorizon(ledger(), 'routine').head()).sequence
    const asked = horizon.requests.length
    expect(await head()).toBe(network.latestLedger)
    expect(horizon.requests).toHaveLength(asked)
    const woken = listen(first.publicKey)
    await expect.poll(() => woken.count).toBeGreaterThan(0)
    const before = woken.count
    await network.stop()
    network = await startLocalNetwork({ closeEvery: 'at-once' })
    await fetch(`${network.friendbotUrl}?addr=${first.publicKey}`)
    clock.advance(31_000)
    await expect.poll(head).toBe(network.latestLedger)
    await expect.poll(() => woken.count).toBeGreaterThan(before)
  })

  it('notices a reset though the new chain has outgrown the old one, by the hash of the ledger before', async () => {
    await fund(first.publicKey)
    await live()
    const woken = listen(first.publicKey)
    await expect.poll(() => woken.count).toBeGreaterThan(0)
    const [before, old] = [woken.count, network.latestLedger]
    await network.stop()
    network = await startLocalNetwork({ closeEvery: 'at-once' })
    while (network.latestLedger < old + 3) network.close()
    await expect.poll(() => woken.count).toBeGreaterThan(before)
  })

  it.runIf(canChangeUser)(
    'leaves what others need, whatever one anchor or a stranger says of its urgency',
    async () => {
      await fund(first.publicKey)
      await live()
      horizon.remaining = 39
      const account = `/accounts/${first.publicKey}`
      const [anchor, other, stranger] = [20_004, 20_007, 1_234]
      // Horizon allows a hundred: a quarter of them is one caller's.
      const greedy = await askAs(anchor, account, 40)
      expect(greedy.filter(status => status === 200)).toHaveLength(25)
      expect(new Set(greedy.slice(25))).toEqual(new Set([429]))
      expect(await askAs(other, account, 3)).toEqual([200, 200, 200])
      expect(await askAs(stranger, `/accounts/${second.publicKey}`, 2)).toEqual([429, 429])
      const asked = horizon.requests.length
      expect(await askAs(stranger, '/transactions', 1, 'POST')).toEqual([403])
      expect(await askAs(anchor, '/transactions', 1, 'POST')).toEqual([429])
      expect(horizon.requests).toHaveLength(asked)
    },
  )

  it.runIf(canChangeUser)(
    'knows a stranger by its whole connection, not by the port of one that was closed',
    async () => {
      expect(await askFromUsedPort(1_234)).toEqual(new Array(20).fill(403))
    },
  )

  it('bounds what it keeps by bytes: the newest page of an account, and none that a stranger made large', async () => {
    await fund(first.publicKey)
    await live()
    const kept = async (name: string) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(new RegExp(`^${name}[^ ]* (\\S+)`, 'm').exec(text)?.[1])
    }
    const page = (cursor: number, joined = '') =>
      fetch(`${url}/accounts/${first.publicKey}/payments?order=asc&limit=200&cursor=${cursor}${joined}`)
    const before = await kept('windlass_ledger_answers')
    for (let cursor = 0; cursor < 50; cursor++) await (await page(cursor)).text()
    expect((await kept('windlass_ledger_answers')) - before).toBe(1)

    horizon.padding = 17 * 1024
    await (await page(99, '&join=transactions')).text()
    expect(await kept('windlass_ledger_answers')).toBe(before)
    horizon.padding = 250 * 1024
    for (const { publicKey } of [...keys, ...Array.from({ length: 300 }, generateKey)])
      await (await fetch(`${url}/accounts/${publicKey}/payments?cursor=0`)).text()
    const bytes = await kept('windlass_ledger_answer_bytes')
    expect(bytes).toBeGreaterThan(60 * 1024 * 1024)
    expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024)
    horizon.padding = 300 * 1024
    await (await page(100)).text()
    expect(await kept('windlass_ledger_answer_bytes')).toBeLessThanOrEqual(bytes)
  })
})

/** Statuses of requests that another user's program sends, one after another, all of them urgent. */
async function askAs(uid: number, path: string, times: number, method = 'GET'): Promise<number[]> {
  const body = method === 'POST' ? `, body: new URLSearchParams({ tx: 'x' })` : ''
  const source = `
    const statuses = []
    for (let n = 0; n < ${times}; n++) {
      const headers = { priority: 'u=0' }
      statuses.push((await fetch('${url}${path}', { method: '${method}', headers${body} })).status)
    }
    console.log(JSON.stringify(statuses))`
  const options = { uid, gid: uid, cwd: '/', env: {} }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source], options)
  return JSON.parse(stdout) as number[]
}

/** What submissions answer that come from the port of a closed connection, of which the kernel says that it is root's. */
async function askFromUsedPort(uid: number): Promise<number[]> {
  const source = `
    import { request } from 'node:http'
    const ask = (method, path, localAddress, localPort) => new Promise((resolve, reject) => {
      const { port } = new URL('${url}')
      const type = method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { connection: 'close', priority: 'u=0', ...type }
      const asked = request({ host: '127.0.0.1', port, method, path, headers, localAddress, localPort })
      asked.once('error', reject).once('response', answer => {
        const used = asked.socket.localPort
        asked.destroy()
        resolve({ status: answer.statusCode, port: used })
      }).end(method === 'POST' ? 'tx=x' : undefined)
    })
    const { port } = await ask('GET', '/health', '127.0.0.1')
    const statuses = []
    for (let n = 2; n < 22; n++) statuses.push((await ask('POST', '/transactions', '127.0.0.' + n, port)).status)
    console.log(JSON.stringify(statuses))`
  const options = { uid, gid: uid, cwd: '/', env: {} }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source], options)
  return JSON.parse(stdout) as number[]
}

interface Horizon {
  url: string
  /** Paths of the GET requests that arrived, without those of streams. */
  requests: string[]
  /** How often a stream was asked for. */
  streams: number
  mood: 'open' | 429 | 'drops submissions'
  remaining: number
  /** Whether its stream of payments stays open and says nothing. */
  isMute: boolean
  /** Bytes that each answer has beside what the network answers. */
  padding: number
  /** Ends its streams, and answers further ones when it is released. */
  holdStreams(): Promise<() => void>
  /** Answers nothing else until it is released. */
  holdAnswers(): () => void
  /** Sends something that no transaction on the local network makes. */
  sendPayment(record: object): void
  close(): void
}

/** A Horizon with a rate limit in front of the local network's. */
async function startHorizon(target: () => string): Promise<Horizon> {
  const open = new Map<ServerResponse, string>()
  let [streamsMay, answersMay] = [Promise.resolve(), Promise.resolve()]
  const server: Server = createServer(async (request, response) => {
    const isStream = request.headers.accept === 'text/event-stream'
    if (isStream) state.streams++
    else if (request.method === 'GET') state.requests.push(request.url ?? '')
    await (isStream ? streamsMay : answersMay)
    if (isStream)
      open.set(
        response.on('close', () => open.delete(response)),
        request.url ?? '',
      )
    const limits = {
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': String(state.remaining),
      'x-ratelimit-reset': '60',
    }
    if (state.mood === 429) return response.writeHead(429, { ...limits, 'retry-after': '30' }).end()
    if (state.mood === 'drops submissions' && request.method === 'POST') return request.destroy()
    const onward = httpRequest(
      target() + request.url,
      { method: request.method, headers: { ...request.headers, host: 'localhost' } },
      answer => {
        const { 'content-length': _, ...head } = answer.headers
        response.writeHead(answer.statusCode ?? 502, { ...head, ...limits })
        const isPayments = isStream && request.url?.startsWith('/payments')
        answer.on('data', (chunk: Buffer) => (isPayments && state.isMute ? true : response.write(chunk)))
        answer.on('end', () => response.end(Buffer.alloc(isStream ? 0 : state.padding, ' ')))
        answer.on('error', () => response.destroy())
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const state: Horizon = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    streams: 0,
    mood: 'open',
    remaining: 90,
    isMute: false,
    padding: 0,
    holdStreams: async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      streamsMay = promise
      const { streams } = state
      for (const response of open.keys()) response.end()
      await expect.poll(() => state.streams).toBe(streams + 2)
      return resolve
    },
    holdAnswers: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      answersMay = promise
      return resolve
    },
    sendPayment: record => {
      for (const [response, path] of open)
        if (path.startsWith('/payments')) response.write(`id: 1\ndata: ${JSON.stringify(record)}\n\n`)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return state
}

/** What anchors ask. */
const ledger = () => ({ ...network, url })

const fund = (account: string) => fundFromFaucet(network.friendbotUrl, createHorizon(network), account)

function issue(horizonUrl = url) {
  return issueAsset({
    horizon: createHorizon({ ...network, url: horizonUrl }),
    networkPassphrase: network.passphrase,
    store: memoryEnvelopes(),
    issuer: seedSigner(first.secret),
    distribution: seedSigner(second.secret),
    assetCode: 'MUMBAI',
    amount: '1000',
    homeDomain: 'mumbai.anchors.localhost',
    reference: 'anchor',
  })
}

/** Waits until both streams are connected: a payment that is made then is received. */
async function live(): Promise<void> {
  const woken = listen(first.publicKey)
  await expect.poll(() => woken.count).toBeGreaterThan(0)
  await expect
    .poll(async () => {
      network.close()
      return (await createHorizon(ledger(), 'routine').head()).sequence === network.latestLedger
    })
    .toBe(true)
}

/** What an idle anchor asks again and again. */
async function look(account: string) {
  const routine = { headers: { priority: 'u=7' } }
  await fetch(`${url}/accounts/${account}`, routine)
  await fetch(`${url}/ledgers?order=desc&limit=1`, routine)
  const answer = await fetch(`${url}/accounts/${account}/payments?order=asc&limit=200&cursor=0`, routine)
  return (await answer.json()) as { _embedded: { records: object[] } }
}

function listen(account: string): { count: number } {
  const heard = { count: 0 }
  const follow = async () => {
    const response = await fetch(`${url}/accounts/${account}/payments?cursor=now`, {
      headers: { accept: 'text/event-stream' },
      signal: streams.signal,
    })
    for await (const _chunk of response.body ?? []) heard.count++
  }
  follow().catch(() => undefined)
  return heard
}
