import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { createLedgerWatch } from './ledger-watch.ts'

/** What the gateway answers; null: there is none. */
let answer: { now: string; accounts: string[] | null } | null
let asked: string[]
let failing: boolean
let server: Server
let watch: ReturnType<typeof createLedgerWatch>

beforeEach(async () => {
  ;[answer, asked, failing] = [{ now: 'p/1', accounts: null }, [], false]
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = async () => {
    if (failing) throw new Error('Horizon does not answer')
    return { balances: [{ asset: 'native', balance: '1' }] }
  }
  watch = createLedgerWatch({
    config: { ledger: { gatewayUrl }, work: { ledgerCheckSeconds: 60 } },
    routineHorizon: { account },
  } as unknown as Deps)
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

/** Which of three accounts a round looks up. */
async function lookedUp(): Promise<string[]> {
  const round = await watch()
  return ['A', 'B', 'C'].filter(round.mayHaveChanged)
}
const none: string[] = []
const all = ['A', 'B', 'C']

describe('the watch of sleeping anchors’ accounts', () => {
  it('looks all up once, then those alone that had a payment, for as long as Horizon may be behind', async () => {
    expect(await lookedUp()).toEqual(all)
    answer = { now: 'p/2', accounts: ['B'] }
    expect(await lookedUp()).toEqual(['B'])
    answer = { now: 'p/3', accounts: [] }
    vi.advanceTimersByTime(40_000)
    expect(await lookedUp()).toEqual(['B'])
    vi.advanceTimersByTime(10_000)
    expect(await lookedUp()).toEqual(none)
    expect(asked.map(url => url.split('=')[1])).toEqual(['', 'p%2F1', 'p%2F2', 'p%2F3'])
    vi.advanceTimersByTime(600_000)
    expect(await lookedUp()).toEqual(all)
  })

  it('looks all up within a minute where the gateway does not know, such as after its restart', async () => {
    await lookedUp()
    vi.advanceTimersByTime(30_000)
    expect(await lookedUp()).toEqual(none)
    vi.advanceTimersByTime(30_000)
    expect(await lookedUp()).toEqual(all)
  })

  it('looks all up once a minute where there is no gateway, and asks it no more often', async () => {
    answer = null
    expect(await lookedUp()).toEqual(all)
    vi.advanceTimersByTime(59_000)
    expect(await lookedUp()).toEqual(none)
    expect(asked).toHaveLength(1)
    vi.advanceTimersByTime(1_000)
    expect(await lookedUp()).toEqual(all)
  })

  it('looks all up again within a minute after a look that failed', async () => {
    const round = await watch()
    failing = true
    await expect(round.differs('A', null)).rejects.toThrow('Horizon')
    failing = false
    answer = { now: 'p/2', accounts: [] }
    expect(await lookedUp()).toEqual(none)
    vi.advanceTimersByTime(60_000)
    expect(await lookedUp()).toEqual(all)
    expect(await round.differs('A', [{ asset: 'native', balance: '1' }])).toBe(false)
    expect(await round.differs('A', [{ asset: 'native', balance: '2' }])).toBe(true)
  })
})
