import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, startAnchorServer, text, type AnchorServer } from '../testing/anchor-server.ts'
import { Discoveries } from './discoveries.ts'

const KEY = `G${'A'.repeat(55)}`
const PATH = '/.well-known/stellar.toml'
const file = `SIGNING_KEY = "${KEY}"\n`

let server: AnchorServer
let outbound: Outbound
const clock = fakeClock()
let discoveries: Discoveries

beforeAll(async () => {
  server = await startAnchorServer()
  outbound = createOutbound({ allowPrivate: true })
})
afterAll(async () => {
  await outbound.close()
  await server.close()
})
beforeEach(() => {
  server.requests.length = 0
  discoveries = new Discoveries({ outbound, clock, urlOf: domain => `http://${domain}${PATH}` })
})

const read = () => discoveries.read(server.host)
const headersOf = (request: number) => server.requests[request]?.headers

/** Answers 304 to clients with the validator, 200 and the file to the others. */
const validated = (header: 'etag' | 'last-modified', value: string, asked: string) =>
  server.on(PATH, (request, response) => {
    const known = request.headers[asked] === value
    response.writeHead(known ? 304 : 200, { [header]: value }).end(known ? undefined : file)
  })

describe('a discovery file', () => {
  it.each([
    ['etag', '"one"', 'if-none-match'],
    ['last-modified', 'Sun, 01 Mar 2026 12:00:00 GMT', 'if-modified-since'],
  ] as const)('is kept for a minute and then asked for again with its %s', async (header, value, asked) => {
    validated(header, value, asked)
    await read()
    clock.advance(59_999)
    await read()
    expect(server.requests).toHaveLength(1)
    clock.advance(1)
    expect((await read()).signingKey).toBe(KEY)
    expect(headersOf(1)?.[asked]).toBe(value)
    clock.advance(59_999)
    await read()
    expect(server.requests).toHaveLength(2)
  })

  it.each([
    ['max-age=5', 5_000],
    ['public, max-age=31536000, immutable', 60_000],
    ['no-cache', 0],
    ['no-store', 0],
    ['nonsense', 60_000],
  ])('that says Cache-Control: %s is asked for again after %i ms', async (control, fresh) => {
    server.on(PATH, text(file, { 'cache-control': control }))
    await read()
    if (fresh > 0) {
      clock.advance(fresh - 1)
      await read()
      expect(server.requests).toHaveLength(1)
    }
    clock.advance(1)
    await read()
    expect(server.requests).toHaveLength(2)
  })

  it('is asked for once by many at once', async () => {
    server.on(PATH, text(file))
    await Promise.all(Array.from({ length: 10 }, read))
    expect(server.requests).toHaveLength(1)
  })

  it('that cannot be read again serves for ten minutes and no longer', async () => {
    server.on(PATH, text(file))
    await read()
    server.on(PATH, json({}, 500))
    clock.advance(599_999)
    expect((await read()).signingKey).toBe(KEY)
    clock.advance(1)
    await expect(read()).rejects.toMatchObject({ code: 'discovery-unreachable' })
  })

  it('that comes back is read again', async () => {
    server.on(PATH, json({}, 500))
    await expect(read()).rejects.toMatchObject({ code: 'discovery-unreachable' })
    server.on(PATH, text(file))
    expect((await read()).signingKey).toBe(KEY)
  })
})
