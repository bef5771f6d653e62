import fc from 'fast-check'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { createLedgerWatch } from './ledger-watch.ts'

const ROUND_MS = 5_000
const MINUTE = 60_000
const HOUR = 3_600_000
const RUNS = process.env.MODE === 'faults' ? 300 : 20
/** As far as an instance of Horizon may be behind. */
const LAG_MS = 45_000

/** How the gateway answers what changed. */
let answerChanges: (since: string, response: ServerResponse) => void
/** How it answers what an account is. */
let answerAccount: (account: string, response: ServerResponse) => void
let asked: string[]
let server: Server
let watch: ReturnType<typeof createLedgerWatch>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    response.setHeader('content-type', 'application/json')
    if (url.pathname === '/') return response.end(JSON.stringify({ network_passphrase: 'ours' }))
    if (url.pathname.startsWith('/accounts/'))
      return answerAccount(url.pathname.split('/')[2] ?? '', response)
    const since = url.searchParams.get('since') ?? ''
    asked.push(since)
    answerChanges(since, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  restart()
})
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

function restart(): void {
  asked = []
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  watch = createLedgerWatch({
    config: { ledger: { gatewayUrl, networkPassphrase: 'ours' }, work: { ledgerCheckSeconds: 60 } },
    routineHorizon: {},
  } as unknown as Deps)
}

function sendAccount(
  response: ServerResponse,
  balance: number | string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, headers)
  const balances = [{ asset_type: 'native', balance: String(balance) }]
  response.end(JSON.stringify({ id: 'G', sequence: '1', thresholds: {}, signers: [], balances }))
}

const recorded = (balance: number | string) => [{ asset: 'native', balance: String(balance) }]

describe('the watch of sleeping anchors’ accounts', () => {
  /** What the gateway says about changes; null: there is no gateway. */
  let changes: { now: string; accounts: string[] | null } | null
  let headers: Record<string, string>
  let failing: boolean
  const known = ['A', 'B', 'C']
  const none: string[] = []

  beforeEach(() => {
    ;[changes, headers, failing] = [{ now: 'p/1', accounts: null }, {}, false]
    answerChanges = (_since, response) => response.writeHead(changes ? 200 : 404).end(JSON.stringify(changes))
    answerAccount = (_account, response) =>
      failing ? response.writeHead(503).end() : sendAccount(response, '1', headers)
  })

  /** Which of the accounts a round looks up, each without a difference. */
  async function round(accounts = known): Promise<string[]> {
    const { mayHaveChanged, differs } = await watch()
    const looked = accounts.filter(mayHaveChanged)
    for (const account of looked) expect(await differs(account, recorded('1')).catch(() => false)).toBe(false)
    return looked
  }
  /** Rounds for so long: which accounts they look up, in their order. */
  async function rounds(ms: number, accounts = known, everyMs = ROUND_MS): Promise<string[]> {
    const looked = []
    for (let passed = 0; passed < ms; passed += everyMs) {
      vi.advanceTimersByTime(everyMs)
      looked.push(...(await round(accounts)))
    }
    return looked
  }
  /** From here on the gateway knows, and answers have contained all that was before. */
  async function settle(): Promise<void> {
    await round()
    changes = { now: 'p/2', accounts: [] }
    await rounds(4 * MINUTE)
  }

  it('looks all up once it has begun, and again after ten minutes', async () => {
    await round()
    changes = { now: 'p/2', accounts: [] }
    expect(new Set(await rounds(MINUTE))).toEqual(new Set(known))
    await rounds(3 * MINUTE)
    expect((await rounds(10 * MINUTE)).toSorted()).toEqual(known)
  })

  it('looks those up in each round that had a payment, for as long as Horizon may be behind', async () => {
    await settle()
    changes = { now: 'p/3', accounts: ['B'] }
    expect(await round()).toEqual(['B'])
    changes = { now: 'p/4', accounts: [] }
    const later = await rounds(MINUTE)
    expect(later.filter(account => account === 'B').length).toBeGreaterThanOrEqual(LAG_MS / ROUND_MS)
    expect(await round()).toEqual(none)
    expect(asked.slice(0, 3)).toEqual(['', 'p/1', 'p/2'])
  })

  it('looks an account up at once that had a payment while it fell asleep', async () => {
    await settle()
    changes = { now: 'p/3', accounts: ['new'] }
    expect(await round([...known, 'new'])).toEqual(['new'])
  })

  /** How the account was so many seconds before the payment, or after it. */
  it.each([
    ['a day before', -86_400, true],
    ['ten minutes before', -600, true],
    ['a second before', -1, true],
    ['in the moment of', 0, true],
    ['too soon after', LAG_MS / 1_000 - 1, true],
    ['long enough after', LAG_MS / 1_000 + 2 * (ROUND_MS / 1_000), false],
    ['nobody knows when before', Number.NaN, true],
  ])('looks for as long as answers are of %s a payment', async (_when, seconds, still) => {
    await settle()
    changes = { now: 'p/3', accounts: ['B'] }
    const paidAt = performance.now()
    answerAccount = (_account, response) => {
      const age = Math.max(0, Math.floor((performance.now() - paidAt) / 1_000 - seconds))
      sendAccount(response, '1', { age: Number.isNaN(age) ? 'unknown' : String(age) })
    }
    expect(await round()).toEqual(['B'])
    changes = { now: 'p/4', accounts: [] }
    await rounds(2 * MINUTE)
    expect(await round()).toEqual(still ? ['B'] : none)
    await rounds(5 * MINUTE)
    expect(await round()).toEqual(still ? ['B'] : none)
    answerAccount = (_account, response) => sendAccount(response, '1')
    await round()
    expect(await round()).toEqual(none)
  })

  it('looks at nothing for the moments in which the gateway does not answer, and learns later what changed', async () => {
    await settle()
    const before = answerChanges
    answerChanges = (_since, response) => response.writeHead(504).end()
    expect(await round()).toEqual(none)
    answerChanges = before
    changes = { now: 'p/3', accounts: ['C'] }
    expect(await round()).toEqual(['C'])
    expect(asked.slice(-2)).toEqual(['p/2', 'p/2'])
  })

  it.each([
    ['does not know, such as after its restart', { now: 'q/1', accounts: null }],
    ['is none', null],
  ])('looks each up once a minute where the gateway %s', async (_what, answer) => {
    await settle()
    changes = answer
    await rounds(2 * MINUTE)
    const looked = await rounds(10 * MINUTE)
    for (const account of known) {
      const times = looked.filter(each => each === account).length
      expect(times).toBeGreaterThanOrEqual(9)
      expect(times).toBeLessThanOrEqual(11)
    }
  })

  it('asks a gateway that is none once a minute', async () => {
    changes = null
    await rounds(10 * MINUTE)
    expect(asked.length).toBeLessThanOrEqual(11)
  })

  it('looks up again within a minute after a look that failed', async () => {
    await settle()
    changes = { now: 'q/1', accounts: null }
    await rounds(ROUND_MS)
    changes = { now: 'q/2', accounts: [] }
    failing = true
    await rounds(10 * MINUTE)
    failing = false
    expect(new Set(await rounds(MINUTE + ROUND_MS))).toEqual(new Set(known))
  })

  it('says whether balances differ', async () => {
    await round()
    const { mayHaveChanged, differs } = await watch()
    known.filter(mayHaveChanged)
    expect(await differs('A', recorded('1'))).toBe(false)
    expect(await differs('A', recorded('2'))).toBe(true)
    expect(mayHaveChanged(null)).toBe(false)
    expect(await differs(null, recorded('2'))).toBe(false)
  })

  const limits = { 'x-ratelimit-limit': '101', 'x-ratelimit-remaining': '100' }
  const thousand = Array.from({ length: 1_000 }, (_, index) => `A${index}`)

  it('leaves the most of 3,600 requests an hour to others with a thousand accounts, and looks all up in six hours', async () => {
    headers = limits
    await round(thousand)
    changes = { now: 'p/2', accounts: [] }
    const first = await rounds(HOUR, thousand, MINUTE)
    expect(first.length).toBeLessThanOrEqual(720)
    await rounds(HOUR, thousand, MINUTE)
    const seen = new Set<string>()
    for (let hour = 0; hour < 6; hour++) {
      const looked = await rounds(HOUR, thousand, MINUTE)
      expect(looked.length).toBeLessThanOrEqual(181)
      for (const account of looked) seen.add(account)
    }
    expect(seen.size).toBe(1_000)
  })

  it.each([
    ['the gateway knows', { now: 'p/2', accounts: [] }],
    ['the gateway does not know', { now: 'p/2', accounts: null }],
    ['there is no gateway', null],
  ])(
    'never looks at many of a thousand at once where Horizon limits requests and %s',
    async (_what, answer) => {
      headers = limits
      await round(thousand)
      changes = answer
      for (let passed = 0; passed < 5 * MINUTE; passed += ROUND_MS)
        expect((await rounds(ROUND_MS, thousand)).length).toBeLessThanOrEqual(2)
      vi.advanceTimersByTime(HOUR)
      expect((await round(thousand)).length).toBeLessThanOrEqual(12)
    },
    60_000,
  )

  it('looks a thousand up within two minutes, evenly, where Horizon does not limit requests', async () => {
    await round(thousand)
    changes = { now: 'p/2', accounts: [] }
    const seen = new Set<string>()
    for (let passed = 0; passed < 2 * MINUTE; passed += ROUND_MS) {
      const looked = await rounds(ROUND_MS, thousand)
      expect(looked.length).toBeLessThanOrEqual(90)
      for (const account of looked) seen.add(account)
    }
    expect(seen.size).toBe(1_000)
  })
})

describe('money that comes to sleeping anchors', () => {
  const moves = fc.array(
    fc.record({
      account: fc.nat(4),
      /** `hidden`: without a payment, such as a claimed balance. */
      event: fc.constantFrom(
        ...(['payment', 'payment', 'hidden', 'budget spent', 'budget free'] as const),
        ...(['gateway restarts', 'gateway silent', 'gateway answers', 'nothing', 'nothing'] as const),
      ),
      /** Until the stream brings it. */
      streamLagMs: fc.nat(10_000),
      rounds: fc.integer({ min: 1, max: 12 }),
    }),
    { maxLength: 25 },
  )

  it('is seen, however old answers are, wherever the gateway fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        moves,
        fc.array(fc.nat(LAG_MS - 1_000), { minLength: 1, maxLength: 9 }),
        async (plan, lags) => {
          const world = createWorld(5, lags)
          for (const move of plan) await world.make(move)
          world.recover()
          // Stream and instances catch up.
          await world.pass(MINUTE + 2 * ROUND_MS)
          expect(world.unseen('reported')).toEqual([])
          await world.pass(13 * MINUTE)
          expect(world.unseen('any')).toEqual([])
        },
      ),
      { numRuns: RUNS },
    )
  })

  interface Move {
    account: number
    event: string
    streamLagMs: number
    rounds: number
  }

  /** Accounts on a ledger, a Horizon of instances that are behind, and a gateway whose memory serves while the budget is spent. */
  function createWorld(count: number, lags: readonly number[]) {
    const names = Array.from({ length: count }, (_, index) => `A${index}`)
    const history = new Map(names.map(name => [name, [{ at: -Infinity, balance: 0 }]]))
    const memory = new Map<string, { at: number; balance: number }>()
    const seen = new Map(names.map(name => [name, 0]))
    const reported = new Map<string, number>()
    let stream: { account: string; at: number; balance: number }[] = []
    let [self, since, spent, silent, looks] = [1, 0, false, false, 0]
    const start = performance.now()
    const now = () => performance.now() - start
    const balanceAt = (account: string, at: number) =>
      history.get(account)?.findLast(each => each.at <= at)?.balance ?? 0
    restart()

    answerChanges = (asked, response) => {
      if (silent) return void response.writeHead(504).end()
      const [process, from] = asked.split('/').map(Number)
      const knows = process === self && (from ?? 0) >= since
      const come = stream.filter(({ at }) => at >= since && at <= now())
      const told = knows ? come.filter(({ at }) => at > (from ?? 0)) : null
      for (const { account, balance } of told ?? []) reported.set(account, balance)
      const accounts = told?.map(({ account }) => account) ?? null
      response.writeHead(200).end(JSON.stringify({ now: `${self}/${now()}`, accounts }))
    }
    answerAccount = (account, response) => {
      const kept = memory.get(account)
      if (silent || (spent && !kept)) return void response.writeHead(429).end()
      if (!spent) {
        // An instance that is behind; the gateway knows when it asked.
        const balance = balanceAt(account, now() - (lags[looks++ % lags.length] ?? 0))
        memory.set(account, { at: now(), balance })
      }
      const { at, balance } = memory.get(account) ?? { at: 0, balance: 0 }
      sendAccount(response, balance, { age: String(Math.floor((now() - at) / 1_000)) })
    }

    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += ROUND_MS) {
        vi.advanceTimersByTime(ROUND_MS)
        const { mayHaveChanged, differs } = await watch()
        for (const account of names.filter(mayHaveChanged))
          if (await differs(account, recorded(seen.get(account) ?? 0)).catch(() => false))
            // It wakes, reads everything and sleeps again.
            seen.set(account, balanceAt(account, now()))
      }
    }
    const restartGateway = () => {
      ;[self, since] = [self + 1, now()]
      stream = stream.filter(({ at }) => at <= now())
      memory.clear()
    }
    return {
      pass,
      make: async ({ account, event, streamLagMs, rounds }: Move): Promise<void> => {
        const name = names[account] ?? ''
        const change = { at: now(), balance: history.get(name)?.length ?? 0 }
        if (event === 'payment' || event === 'hidden') history.get(name)?.push(change)
        if (event === 'payment')
          stream.push({ account: name, at: now() + streamLagMs, balance: change.balance })
        if (event === 'gateway restarts') restartGateway()
        if (event.startsWith('budget')) spent = event === 'budget spent'
        if (event === 'gateway silent' || event === 'gateway answers') silent = event === 'gateway silent'
        await pass(rounds * ROUND_MS)
      },
      recover: () => ([spent, silent] = [false, false]),
      /** Accounts with a change that nobody saw: `reported`, of those whose payment the gateway reported. */
      unseen: (which: 'reported' | 'any') =>
        names.filter(name => {
          const last = which === 'any' ? balanceAt(name, now()) : (reported.get(name) ?? 0)
          return (seen.get(name) ?? 0) < last
        }),
    }
  }
})
