import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createHorizon, otherNetworkIn } from './horizon.ts'
import { followHorizon, HorizonError, OtherNetworkError, readHorizon } from './horizon-client.ts'
import { PUBLIC_NETWORK, type LedgerSource } from './network.ts'
import { compareChain, whyNotReset } from './reset.ts'
import { UnreliableNetwork } from './testing/unreliable-network.ts'

let server: Server
let asked: string[] = []
afterEach(() => end(server))

const end = (ended: Server) =>
  new Promise<void>(resolve => {
    ended.close(() => resolve())
    ended.closeAllConnections()
  })

/** A Horizon of a network. */
async function start(passphrase: string, port = 0): Promise<LedgerSource> {
  asked = []
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/') return response.end(JSON.stringify({ network_passphrase: passphrase }))
    if (request.headers.accept === 'text/event-stream')
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('data: "payment"\n\n')
    response.end(JSON.stringify({ of: passphrase }))
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, passphrase: 'ours' }
}

const portOf = ({ url }: LedgerSource) => Number(new URL(url).port)

describe.each(['money', 'person', 'routine'] as const)('a %s request', urgency => {
  it('compares the root of a connection once, and reads on', async () => {
    const source = await start('ours')
    for (let n = 0; n < 5; n++)
      expect(await readHorizon(source, '/some', { urgency })).toEqual({ of: 'ours' })
    expect(asked.filter(each => each === 'GET /').length).toBeLessThanOrEqual(2)
  })

  it('takes no answer of another network, at the start and where another one answers at the same address later', async () => {
    const source = await start('theirs')
    await expect(readHorizon(source, '/some', { urgency })).rejects.toThrow(OtherNetworkError)
    await end(server)
    await start('ours', portOf(source))
    // A connection that was kept may be found closed first.
    const read = () => readHorizon(source, '/some', { urgency })
    expect(await read().catch(read)).toEqual({ of: 'ours' })
    await end(server)
    await start('theirs', portOf(source))
    await expect(read()).rejects.toThrow(HorizonError)
    for (let n = 0; n < 2; n++) await expect(read()).rejects.toThrow('is of the network "theirs", not "ours"')
  })

  it('takes no answer of a Horizon that does not say which network it is of', async () => {
    const source = await start('')
    await expect(readHorizon(source, '/some', { urgency })).rejects.toThrow(OtherNetworkError)
  })
})

it('submits nothing to another network, and says what is wrong', async () => {
  const horizon = createHorizon(await start('theirs'))
  expect(await horizon.submit('AAAA')).toMatchObject({ outcome: 'unknown' })
  expect(asked).toEqual(['GET /'])
  const failure: unknown = await horizon.head().catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'ledger-unavailable',
    message: expect.stringContaining('another network'),
  })
  expect(otherNetworkIn(failure)).toMatchObject({ expected: 'ours', found: 'theirs' })
})

it('takes nothing from a stream of another network', async () => {
  const source = await start('theirs')
  const events: string[] = []
  const stream = followHorizon(source, '/payments', {
    onConnect: () => events.push('connected'),
    onEvent: () => events.push('event'),
  })
  onTestFinished(() => stream.stop())
  await expect.poll(() => asked).toContain('GET /')
  await new Promise(resolve => setTimeout(resolve, 200))
  expect([events, stream.live]).toEqual([[], false])
})

describe('a reset', () => {
  const remembered = async (network: UnreliableNetwork) => {
    const ledgers = []
    for (let n = 0; n < 3; n++) {
      network.pass(5)
      const { sequence, hash, closedAt } = await network.head()
      ledgers.unshift({ sequence, hash, closedAt: closedAt.toISOString() })
    }
    return { passphrase: 'a test network', ledgers, transactions: ['a'.repeat(64)] }
  }

  it('is proven by every ledger, and by own transactions that are gone', async () => {
    const network = new UnreliableNetwork()
    const memory = await remembered(network)
    expect(await whyNotReset(network, memory)).toBe('same-ledger')
    network.reset()
    network.pass(60)
    expect(await whyNotReset(network, memory)).toBeNull()
    expect(await whyNotReset(network, { ...memory, passphrase: PUBLIC_NETWORK })).toBe('public-network')
    const transaction = async () => ({ successful: true })
    const known = { head: () => network.head(), ledger: (n: number) => network.ledger(n), transaction }
    expect(await whyNotReset(known, memory)).toBe('own-transaction')
    expect(await whyNotReset(network, { ...memory, ledgers: [] })).toBe('unproven')
  })

  it.each([1, 3])(
    'is not proven by any single wrong answer, where %i ledgers are remembered',
    async count => {
      const network = new UnreliableNetwork()
      const memory = await remembered(network)
      const ledgers = memory.ledgers.slice(0, count)
      let calls = 0
      const lying = (nth: number) => {
        calls = 0
        const lie = () => calls++ === nth
        return {
          head: async () => {
            const head = await network.head()
            return lie()
              ? { ...head, sequence: 1, closedAt: new Date(head.closedAt.getTime() + 60_000) }
              : head
          },
          ledger: async (sequence: number) => {
            const found = await network.ledger(sequence)
            return lie() && found ? { ...found, hash: 'f'.repeat(64) } : found
          },
          transaction: async () => null,
        }
      }
      for (let nth = 0; nth < 12; nth++)
        expect(await whyNotReset(lying(nth), { ...memory, ledgers, transactions: [] })).not.toBeNull()
      expect(await compareChain(lying(1), ledgers[0] ?? { sequence: 0, hash: '' })).toBe('another')
    },
  )
})
