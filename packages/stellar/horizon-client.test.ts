import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { followHorizon, readHorizon, readWithHeaders } from './horizon-client.ts'
import type { LedgerSource } from './network.ts'

let answer: (response: ServerResponse, path: string) => void
/** What the root names. */
const network = 'ours'
const horizon = createServer((request, response) => {
  if (request.url === '/') response.end(JSON.stringify({ network_passphrase: network }))
  else answer(response, request.url ?? '')
})
let source: LedgerSource
beforeAll(async () => {
  await new Promise<void>(resolve => horizon.listen(0, '127.0.0.1', resolve))
  source = { url: `http://127.0.0.1:${(horizon.address() as AddressInfo).port}`, passphrase: 'ours' }
})
afterEach(() => void vi.useRealTimers())
afterAll(() => {
  horizon.closeAllConnections()
  horizon.close()
})

it('sends what moves money after a rate limit, though the clock of the machine was set back meanwhile', async () => {
  let answers = 0
  answer = response => {
    if (answers++ === 0) response.writeHead(429, { 'retry-after': '1' }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  await expect(readHorizon(source, '/some', { urgency: 'money' })).rejects.toMatchObject({ status: 429 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  await expect(readHorizon(source, '/some', { urgency: 'money' })).resolves.toEqual({})
})

describe.each(['routine', 'person'] as const)('a %s request', urgency => {
  const read = (path = 'some', timeoutMs = 5_000) =>
    readWithHeaders(source, `/${path}`, { urgency, timeoutMs })

  it('reads the answer with its headers', async () => {
    answer = response =>
      response.writeHead(200, { 'latest-ledger': '7' }).write('{"text":') && response.end('"ü"}')
    const found = await read()
    expect([found.body, found.headers.get('latest-ledger'), found.headers.get('age')]).toEqual([
      { text: 'ü' },
      '7',
      null,
    ])
  })

  it('finds nothing where there is nothing, and reads the headers', async () => {
    answer = response => response.writeHead(404, { age: '3' }).end('{}')
    const found = await read()
    expect([found.body, found.headers.get('age')]).toEqual([null, '3'])
  })

  it('follows a redirect', async () => {
    answer = (response, path) =>
      path === '/new' ? response.end('"found"') : response.writeHead(307, { location: '/new' }).end()
    expect((await read()).body).toBe('found')
  })

  it('says how long to wait where requests are limited', async () => {
    answer = response => response.writeHead(429, { 'retry-after': '3' }).end()
    await expect(read()).rejects.toMatchObject({ status: 429, retryAfterMs: 3_000 })
  })

  it.each([
    ['is cut off', (response: ServerResponse) => response.write('{"text":') && response.socket?.destroy()],
    ['stops', (response: ServerResponse) => response.write('{"text":')],
    ['never comes', () => undefined],
    ['is no JSON', (response: ServerResponse) => response.end('<html>')],
  ])('fails where the answer %s', async (_what, respond) => {
    answer = respond
    await expect(read('some', 300)).rejects.toMatchObject({ name: 'Error', status: 0 })
  })

  it('fails where nobody listens', async () => {
    await expect(
      readHorizon({ ...source, url: 'http://127.0.0.1:1' }, '/some', { urgency }),
    ).rejects.toMatchObject({ status: 0 })
  })
})

describe('routine requests', () => {
  const sockets = new Set<Socket>()
  const read = (path = 'some') => readHorizon(source, `/${path}`, { urgency: 'routine' })
  const answerOn = (broken: (path: string) => boolean) => {
    sockets.clear()
    answer = (response, path) => {
      if (response.socket) sockets.add(response.socket)
      if (broken(path)) response.socket?.destroy()
      else response.end('"answered"')
    }
  }

  it('share a connection', async () => {
    answerOn(() => false)
    for (let n = 0; n < 3; n++) expect(await read()).toBe('answered')
    expect(sockets.size).toBe(1)
  })

  it('are sent again where the connection was closed since the last one', async () => {
    answerOn(path => path === '/second' && sockets.size === 1)
    await read()
    expect(await read('second')).toBe('answered')
    expect(sockets.size).toBe(2)
  })

  it('fail where a new connection is closed too', async () => {
    answerOn(() => true)
    await expect(read()).rejects.toMatchObject({ status: 0 })
    sockets.clear()
    await expect(read()).rejects.toMatchObject({ status: 0 })
    expect(sockets.size).toBe(1)
  })
})

it('takes what only keeps a stream open for no event', async () => {
  const stream = Promise.withResolvers<ServerResponse>()
  answer = response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    stream.resolve(response)
  }
  const events = vi.fn()
  const connected = vi.fn()
  const following = followHorizon(source, '/some', { onConnect: connected, onEvent: events })
  const response = await stream.promise
  const send = (text: string) => new Promise<void>(resolve => response.write(text, () => resolve()))
  await expect.poll(() => connected.mock.calls.length).toBe(1)
  for (const text of [': still here\n\n', ': one\n\n: two\n\n']) await send(text)
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(events).not.toHaveBeenCalled()
  await send(': still here\n\ndata: "payment"\n\n')
  await expect.poll(() => events.mock.calls.length).toBe(1)
  following.stop()
})
