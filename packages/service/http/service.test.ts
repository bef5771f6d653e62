import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Type from 'typebox'
import { createClient } from '@windlass/client/client.ts'
import { Text } from '@windlass/contracts/common.ts'
import { endpoint } from '@windlass/contracts/endpoint.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROXY_SECRET_HEADER } from './client-address.ts'
import { openEvents } from './events.ts'
import { referencePage } from './reference.ts'
import { createLogger } from '../observe/logger.ts'
import { createServer, type Server } from './server.ts'
import { serviceSecretGuard } from './realms.ts'
import { answer } from './answer.ts'

const Pet = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 20 }),
  legs: Type.Optional(Type.Integer()),
})
const addPet = endpoint('POST /pets', {
  realm: 'public',
  summary: 'Adds a pet',
  body: Pet,
  response: { 201: Pet },
})
const addPetByOldName = endpoint('POST /old-pets', {
  realm: 'public',
  summary: 'Adds a pet',
  body: Pet,
  response: { 201: Pet },
  deprecated: { since: '2026-01-01', sunset: '2027-01-01', use: 'POST /pets' },
})
const optionalBody = endpoint('POST /maybe', {
  realm: 'public',
  summary: 'All optional',
  body: Type.Object({ reason: Type.Optional(Type.String()) }),
  response: { 200: Type.Object({ reason: Type.Optional(Type.String()) }) },
})
const poke = endpoint('POST /poke', {
  realm: 'public',
  summary: 'No body',
  response: { 200: Type.Object({ ok: Type.Boolean() }) },
})
const listPets = endpoint('GET /pets', {
  realm: 'public',
  summary: 'Lists',
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
  response: { 200: Type.Array(Pet) },
})
const polledPets = endpoint('GET /polled-pets', {
  realm: 'service',
  summary: 'Polled',
  conditional: true,
  response: { 200: Type.Array(Pet) },
})
const secretPets = endpoint('GET /secret-pets', {
  realm: 'service',
  summary: 'Hidden',
  response: { 200: Type.Array(Pet) },
})
const onePet = endpoint('GET /pets/:id', {
  realm: 'public',
  summary: 'One',
  params: Type.Object({ id: Type.String() }),
  response: { 200: Pet },
})
const postForm = endpoint('POST /forms', {
  realm: 'public',
  summary: 'Takes forms',
  body: Type.Object({
    name: Text(20),
    url: Type.Optional(Type.String({ format: 'uri' })),
  }),
  form: true,
  response: { 200: Type.Object({ name: Type.String() }) },
})
const boom = endpoint('GET /boom', { realm: 'public', summary: 'Fails', response: { 200: Type.Object({}) } })

const polled = [{ name: 'Rex' }]
let server: Server
beforeAll(async () => {
  server = await createServer({
    name: 'pets',
    logger: createLogger('pets', 'silent'),
    guards: { service: serviceSecretGuard('s'.repeat(32)) },
    origins: { operator: ['http://localhost:4001'], admin: [], customer: [] },
    proxySecret: 'p'.repeat(32),
    checks: { good: async () => {} },
    documents: { name: 'aggregator', alsoAt: '/api/v1/openapi.json' },
  })
  server.on(addPet).serve(({ body }) => ({ ...body, leaked: 'column' }))
  server.on(addPetByOldName).serve(({ body }) => body)
  server.on(optionalBody).serve(({ body }) => body)
  server.on(poke).serve(() => ({ ok: true }))
  server.on(listPets).serve(({ query, request }) =>
    answer(200, [{ name: `limit ${query.limit ?? 'none'}`.slice(0, 20) }], {
      headers: { 'x-client': request.clientAddress },
    }),
  )
  server.on(polledPets).serve(() => [...polled])
  server.on(secretPets).serve(() => [])
  server.on(onePet).serve(() => ({ name: 'Rex' }))
  server.on(postForm).serve(({ body }) => body)
  server.on(boom).serve(() => {
    throw new Error('password is hunter2')
  })
  await server.app.ready()
})
afterAll(() => server.close())

const post = (url: string, payload: string | object, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('a service', () => {
  it('answers the contract and drops what the contract does not declare', async () => {
    const response = await post('/pets', { name: 'Rex', legs: 4, colour: 'ignored' })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toEqual({ name: 'Rex', legs: 4 })
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it.each([
    ['a missing value', '{}', 'validation-failed', 400],
    ['a wrong type', '{"name":7}', 'validation-failed', 400],
    ['malformed JSON', '{"name"', 'malformed-request', 400],
    ['a prototype key', '{"name":"x","__proto__":{"a":1}}', 'malformed-request', 400],
    ['a NUL character', '{"name":"a\\u0000b"}', 'validation-failed', 400],
    ['half a surrogate pair', '{"name":"a\\ud800b"}', 'validation-failed', 400],
    [
      'endless nesting',
      `{"name":"Rex","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      'validation-failed',
      400,
    ],
    ['an array for an object', '[]', 'validation-failed', 400],
    ['a body over 100 KB', `{"name":"${'x'.repeat(110_000)}"}`, 'body-too-large', 413],
  ])('refuses %s with a problem document', async (_what, body, code, status) => {
    const response = await post('/pets', body)
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toContain('application/problem+json')
    expect(response.json()).toMatchObject({
      code,
      status,
      type: `/docs/problems/${code}`,
      requestId: expect.any(String),
    })
  })

  it('names each wrong value by its path', async () => {
    const response = await post('/pets', { legs: 'four' })
    expect(
      response
        .json()
        .errors.map((e: { path: string }) => e.path)
        .sort(),
    ).toEqual(['legs', 'name'])
  })

  it('refuses a body of another content type', async () => {
    const response = await post('/pets', 'name=Rex', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(response.statusCode).toBe(415)
  })

  it('takes an absent body for an empty one where every field is optional', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/maybe',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.statusCode).toBe(200)
  })

  it('ignores body and content type where the contract declares none', async () => {
    for (const type of ['application/json', 'text/plain', 'application/nonsense']) {
      const response = await server.app.inject({
        method: 'POST',
        url: '/poke',
        headers: { 'content-type': type },
        payload: '{oops',
      })
      expect(response.statusCode).toBe(200)
    }
    const empty = await server.app.inject({
      method: 'POST',
      url: '/poke',
      headers: { 'content-type': 'application/json' },
    })
    expect(empty.statusCode).toBe(200)
  })

  it('reads numbers in the query and refuses those out of range', async () => {
    expect((await server.app.inject('/pets?limit=5')).json()).toEqual([{ name: 'limit 5' }])
    expect((await server.app.inject('/pets?limit=500')).statusCode).toBe(400)
  })

  it('keeps a realm to those with its credential', async () => {
    expect((await server.app.inject('/secret-pets')).statusCode).toBe(401)
    const headers = { 'x-service-secret': 's'.repeat(32) }
    expect((await server.app.inject({ url: '/secret-pets', headers })).statusCode).toBe(200)
  })

  it('does not start with an endpoint whose realm it cannot guard', () => {
    const unguarded = endpoint('GET /x', { realm: 'admin', summary: 'x', response: { 200: Type.Object({}) } })
    expect(() => server.on(unguarded).serve(() => ({}))).toThrow(/no guard/)
  })

  it('does not start with an administrator’s endpoint that declares no role', async () => {
    const guarded = await createServer({
      name: 'test',
      logger: createLogger('test', 'silent'),
      guards: { admin: () => ({ username: 'bosun', role: 'owner', sessionId: 's' }) },
    })
    const anyones = endpoint('GET /x', { realm: 'admin', summary: 'x', response: { 200: Type.Object({}) } })
    expect(() => guarded.on(anyones).serve(() => ({}))).toThrow(/which role/)
    await guarded.close()
  })

  it('logs who asks for its health and figures only where everything is asked for', async () => {
    const lines: string[] = []
    const logger = createLogger('test', 'info', { write: text => void lines.push(text) })
    const quiet = await createServer({ name: 'test', logger })
    await quiet.app.inject('/health')
    expect(lines).toEqual([])
    logger.level = 'debug'
    const talkative = await createServer({ name: 'test', logger })
    await talkative.app.inject('/health')
    expect(lines.join()).toMatch(/"level":20.*"path":"\/health","status":200/)
    await Promise.all([quiet.close(), talkative.close()])
  })

  it('carries the same secure headers on every answer, whatever it says', async () => {
    for (const url of ['/pets/1', '/nowhere', '/boom', '/secret-pets', '/health']) {
      expect((await server.app.inject(url)).headers).toMatchObject({
        'content-security-policy':
          "default-src 'none';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';upgrade-insecure-requests",
        'cross-origin-resource-policy': 'same-origin',
        'origin-agent-cluster': '?1',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-dns-prefetch-control': 'off',
        'x-download-options': 'noopen',
        'x-frame-options': 'SAMEORIGIN',
        'x-permitted-cross-domain-policies': 'none',
        'x-xss-protection': '0',
      })
    }
  })

  it('never tells an internal message', async () => {
    const response = await server.app.inject('/boom')
    expect(response.statusCode).toBe(500)
    expect(response.body).not.toContain('hunter2')
  })

  it('answers 404 with a problem document for an unknown path and 400 for one it cannot decode', async () => {
    expect((await server.app.inject('/nowhere')).json().code).toBe('not-found')
    expect((await server.app.inject('/pets/%E0%A4%A')).statusCode).toBeLessThan(500)
  })

  it('refuses a session cookie sent twice and writes from foreign origins', async () => {
    const twice = await server.app.inject({ url: '/pets', headers: { cookie: 'ns_session=a; ns_session=b' } })
    expect(twice.json().code).toBe('duplicate-cookie')
    const write = (headers: Record<string, string>) =>
      post('/pets', { name: 'Rex' }, { cookie: 'ns_session=a', ...headers })
    expect((await write({ origin: 'http://evil.example' })).statusCode).toBe(403)
    expect((await write({ origin: 'null' })).statusCode).toBe(403)
    expect((await write({ 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403)
    expect((await write({ origin: 'http://localhost:4001', 'sec-fetch-site': 'same-site' })).statusCode).toBe(
      201,
    )
    expect((await write({})).statusCode).toBe(201)
  })

  it('believes forwarded addresses only beside the proxy secret', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await server.app.inject({ url: '/pets', headers })).headers['x-client']
    expect(await ask({ 'x-forwarded-for': '9.9.9.9' })).toBe('127.0.0.1')
    expect(await ask({ 'x-forwarded-for': '6.6.6.6, 9.9.9.9', 'x-windlass-proxy': 'p'.repeat(32) })).toBe(
      '9.9.9.9',
    )
  })

  it('finds a session cookie whose name is followed by space, as browsers’ parsers do', async () => {
    const cookie = 'ns_session=a; ns_session =b'
    expect((await server.app.inject({ url: '/pets', headers: { cookie } })).json().code).toBe(
      'duplicate-cookie',
    )
  })

  it.each([
    ['no content type', { 'content-type': '' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }, 415],
    ['a quoted charset', { 'content-type': 'application/json;Charset="UTF-8"' }, 201],
    ['a charset', { 'content-type': 'Application/JSON; charset=utf-8' }, 201],
    ['a type of its own', { 'content-type': 'application/vnd.pets+json' }, 201],
  ])('reads a body with %s as it should', async (_what, headers, status) => {
    const payload = 'content-encoding' in headers ? gzipSync('{"name":"Rex"}') : '{"name":"Rex"}'
    const all = { 'content-type': 'application/json', ...headers }
    const response = await server.app.inject({ method: 'POST', url: '/pets', payload, headers: all })
    expect(response.statusCode).toBe(status)
  })

  it('refuses a body that is not UTF-8, as JSON and as a form', async () => {
    const send = (type: string, payload: Buffer) =>
      server.app.inject({ method: 'POST', url: '/forms', payload, headers: { 'content-type': type } })
    const json = await send('application/json', Buffer.from('{"name":"Jos\xe9"}', 'latin1'))
    expect([json.statusCode, json.json().code]).toEqual([400, 'malformed-request'])
    for (const text of ['name=Jos%E9', 'name=Jos\xe9']) {
      const form = await send('application/x-www-form-urlencoded', Buffer.from(text, 'latin1'))
      expect([form.statusCode, form.json().code]).toEqual([400, 'malformed-request'])
    }
    const good = await send('application/x-www-form-urlencoded', Buffer.from('name=Jos%C3%A9'))
    expect(good.json()).toEqual({ name: 'José' })
  })

  it('refuses addresses that nothing can open', async () => {
    for (const url of ['https://', 'http://a:99999', 'http://', 'x']) {
      const response = await post('/forms', { name: 'Rex', url })
      expect([url, response.statusCode]).toEqual([url, 400])
    }
    expect((await post('/forms', { name: 'Rex', url: 'https://example.org/a' })).statusCode).toBe(200)
  })

  it('refuses control characters in text that people write, but not line breaks', async () => {
    for (const name of ['Re\u0007x', 'Rex\u007f', '\u001b[31mRex']) {
      expect((await post('/forms', { name })).json().errors).toEqual([
        expect.objectContaining({ path: 'name' }),
      ])
    }
    expect((await post('/forms', { name: 'Rex\n\tof Mumbai' })).statusCode).toBe(200)
  })

  it('answers 405 with the methods that an address takes, and 404 where there is none', async () => {
    const wrong = await server.app.inject({ method: 'DELETE', url: '/pets?x=1' })
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
    expect(wrong.json().code).toBe('method-not-allowed')
    const one = await server.app.inject({ method: 'PUT', url: '/pets/7' })
    expect([one.statusCode, one.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await server.app.inject({ method: 'PUT', url: '/pets/7/8' })).statusCode).toBe(404)
  })

  it('says with each 401 which credential is missing', async () => {
    const response = await server.app.inject('/secret-pets')
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'ServiceSecret'])
  })

  it('answers below its reference as everywhere else', async () => {
    const response = await server.app.inject('/docs/no-such-group')
    expect([response.statusCode, response.json().code]).toEqual([404, 'not-found'])
  })

  it('answers an address in place of a path only where it names this host', async () => {
    const pets = await createServer({ name: 'pets', logger: createLogger('pets', 'silent') })
    pets.on(listPets).serve(({ query }) => [{ name: `limit ${query.limit}` }])
    const port = await pets.listen(0, '127.0.0.1')
    const ask = (target: string) =>
      exchange('127.0.0.1', port, `GET ${target} HTTP/1.1\r\nHost: pets.test\r\nConnection: close\r\n\r\n`)
    expect(await ask('http://pets.test/pets?limit=3')).toContain('limit 3')
    expect(await ask('http://evil.test/pets')).toMatch(/^HTTP\/1\.1 400/)
    await pets.close()
  })

  it('lets pages of any origin call with any header and read ours, where it is open to them', async () => {
    const open = await createServer({ name: 'open', logger: createLogger('open', 'silent'), cors: 'any' })
    const headers = {
      origin: 'https://wallet.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization, x-client-name, x-client-version',
    }
    const preflight = await open.app.inject({ method: 'OPTIONS', url: '/health', headers })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, x-client-name, x-client-version',
    })
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
    const answered = await open.app.inject({ url: '/health', headers: { origin: 'https://wallet.example' } })
    expect(String(answered.headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining(['link', 'retry-after', 'x-request-id', 'ratelimit']),
    )
    await open.close()
  })

  it('says on every answer of an older address since when it is deprecated', async () => {
    for (const payload of ['{"name":"Rex"}', '{']) {
      const { headers } = await post('/old-pets', payload)
      expect([headers.deprecation, headers.sunset]).toEqual(['@1767225600', 'Fri, 01 Jan 2027 00:00:00 GMT'])
    }
    expect((await post('/pets', { name: 'Rex' })).headers.deprecation).toBeUndefined()
  })

  it('continues the request id and the trace of its caller, in its answers and in the calls that follow', async () => {
    const calls: Record<string, unknown>[] = []
    const back = await createServer({ name: 'back', logger: createLogger('back', 'silent') })
    back.app.addHook('onRequest', async ({ headers }) => void calls.push(headers))
    back.on(poke).serve(() => ({ ok: true }))
    const client = createClient({ baseUrl: `http://127.0.0.1:${await back.listen(0, '127.0.0.1')}` })
    const front = await createServer({ name: 'front', logger: createLogger('front', 'silent') })
    front.on(addPet).serve(async ({ body }) => {
      await client.call(poke)
      return body
    })
    const ask = (headers: Record<string, string>) =>
      front.app.inject({ method: 'POST', url: '/pets', payload: { name: 'Rex' }, headers })
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${trace}-b7ad6b7169203331-01`
    expect((await ask({ 'x-request-id': 'order-4711', traceparent })).headers['x-request-id']).toBe(
      'order-4711',
    )
    expect((await ask({ traceparent })).headers['x-request-id']).toBe(trace)
    expect((await ask({ 'x-request-id': 'a"\n' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(calls.map(headers => headers['x-request-id']).slice(0, 2)).toEqual(['order-4711', trace])
    for (const headers of calls.slice(0, 2)) {
      expect(headers.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
      expect(headers.traceparent).not.toBe(traceparent)
    }
    expect(calls[2]!.traceparent).toBeUndefined()
    await Promise.all([front.close(), back.close()])
  })

  it('answers 304 to who polls while nothing has changed', async () => {
    const ask = (headers: Record<string, string> = {}) =>
      server.app.inject({ url: '/polled-pets', headers: { 'x-service-secret': 's'.repeat(32), ...headers } })
    const etag = String((await ask()).headers.etag)
    const same = await ask({ 'if-none-match': `"other", ${etag}` })
    expect([same.statusCode, same.body, same.headers.etag]).toEqual([304, '', etag])
    expect(same.headers['cache-control']).toBe('no-store')
    polled.push({ name: 'Ada' })
    const changed = await ask({ 'if-none-match': etag })
    expect([changed.statusCode, changed.json()]).toEqual([200, polled])
  })

  it('refuses a parameter that comes twice', async () => {
    expect((await server.app.inject('/pets?limit=1&limit=2')).statusCode).toBe(400)
  })

  it('has a page for each problem and none for names that every object has', async () => {
    const page = await server.app.inject('/docs/problems/validation-failed')
    expect(page.headers['content-type']).toContain('text/markdown')
    expect(page.body).toContain('## What to do')
    const inBrowser = await server.app.inject({
      url: '/docs/problems/validation-failed',
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    })
    expect(inBrowser.headers['content-type']).toContain('text/html')
    expect(inBrowser.body).toContain('<h2 id="what-to-do">What to do</h2>')
    const style = /href="(.+\.css)"/.exec(inBrowser.body)?.[1] ?? ''
    expect((await server.app.inject(style)).headers['content-type']).toContain('text/css')
    for (const name of ['toString', 'constructor', '__proto__', '..%2f..%2fREADME', 'nothing']) {
      expect((await server.app.inject(`/docs/problems/${name}`)).statusCode).toBe(404)
    }
  })

  it('cuts off who sends headers without end or no HTTP at all, with a problem document, and answers the next', async () => {
    const port = await server.listen(0, 'localhost')
    for (const host of await loopbacks()) {
      const refused = [
        { sent: `GET /pets HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`, status: 431, code: 'head-too-large' },
        { sent: 'HELLO\r\n\r\n', status: 400, code: 'malformed-request' },
      ]
      for (const { sent, status, code } of refused) {
        const [head = '', body = ''] = (await exchange(host.replace(/[[\]]/g, ''), port, sent)).split(
          '\r\n\r\n',
        )
        expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
        expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m)
        expect(JSON.parse(body)).toMatchObject({ status, code })
      }
      expect((await fetch(`http://${host}:${port}/pets`)).status).toBe(200)
    }
  })

  it('is alive, without asking anything, while what it depends on is away', async () => {
    let asked = 0
    const checks = {
      database: async () => {
        asked++
        throw new Error('away')
      },
    }
    const failing = await createServer({ name: 'failing', logger: createLogger('failing', 'silent'), checks })
    expect((await failing.app.inject('/health')).statusCode).toBe(503)
    const before = asked
    const alive = await failing.app.inject('/health/live')
    expect([alive.statusCode, alive.json(), asked]).toEqual([200, { status: 'ok' }, before])
    await failing.app.close()
  })

  it('tells its health, its figures, its OpenAPI document and its reference', async () => {
    expect((await server.app.inject('/health')).json()).toMatchObject({
      status: 'ok',
      checks: { good: 'ok' },
    })
    expect((await server.app.inject('/metrics')).body).toContain('http_request_duration_seconds')
    const passedOn = { [PROXY_SECRET_HEADER]: 'a'.repeat(32) }
    for (const url of ['/metrics', '/%6detrics', '/metrics/', '/metrics?x=1']) {
      expect((await server.app.inject({ url, headers: passedOn })).statusCode).toBe(404)
    }
    for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
      const document = (await server.app.inject(path)).json()
      expect([document.openapi, document.servers]).toEqual(['3.1.0', [expect.objectContaining({ url: '/' })]])
      expect(document.paths['/route'].post.operationId).toBe('routeTransaction')
    }
  })

  it('shows a reference without a script, compressed, with a style that browsers keep', async () => {
    const ask = (url: string, headers = {}) =>
      server.app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br', ...headers } })
    const page = await ask('/docs')
    expect([page.statusCode, page.headers['content-encoding'], page.headers.vary]).toEqual([
      200,
      'br',
      'accept-encoding',
    ])
    const html = (await server.app.inject('/docs')).body
    expect((await server.app.inject('/docs/')).headers.location).toBe('../docs')
    expect(brotliDecompressSync(page.rawPayload).toString()).toBe(html)
    expect(gunzipSync((await ask('/docs', { 'accept-encoding': 'gzip' })).rawPayload).toString()).toBe(html)
    expect(html).toMatch(/<html lang="en">[^]*<title>Windlass: [^<]+<\/title>/)
    expect(html).not.toContain('<script')
    expect((await ask('/docs', { 'if-none-match': page.headers.etag })).statusCode).toBe(304)

    const style = await ask(/href="(.+\.css)"/.exec(html)?.[1] ?? '')
    expect(style.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await ask('/docs/problems/style/other.css')).statusCode).toBe(404)
    const document = await ask('/openapi.json')
    expect(document.headers['content-encoding']).toBe('br')

    const group = await server.app.inject('/docs/routing')
    expect(group.body).toContain('<section id="routeTransaction">')
    expect(group.body).toContain('href="#RouteAnswer"')
  })

  it('has a page for every group of every document, and each link leads somewhere', async () => {
    for (const name of ['wallet', 'aggregator', 'developer', 'platform', 'internal']) {
      const file = new URL(`../../../docs/api/${name}.json`, import.meta.url)
      const document = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> }
      const index = referencePage(document, '', '/style.css') ?? ''
      const operations = [...index.matchAll(/href="docs\/([a-z0-9-]+)#(\w+)"/g)]
      const declared = Object.values(document.paths).flatMap(each => Object.values(each) as object[])
      expect(operations).toHaveLength(declared.filter(each => 'operationId' in each).length)
      for (const slug of new Set(operations.map(each => each[1] ?? ''))) {
        const page = referencePage(document, slug, '/style.css') ?? ''
        const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(each => each[1]))
        const linked = [...page.matchAll(/href="#([^"]+)"/g)].map(each => each[1])
        const listed = operations.filter(each => each[1] === slug).map(each => each[2])
        expect([...linked, ...listed].filter(id => !ids.has(id))).toEqual([])
      }
    }
  })
})

describe('a service on localhost', () => {
  const slow = endpoint('GET /slow', { realm: 'public', summary: 'Slow', response: { 200: Type.Object({}) } })
  const start = async (name: string) => {
    const service = await createServer({ name, logger: createLogger(name, 'silent'), documents: false })
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    service.on(slow).serve(async () => {
      begin()
      await ended
      return {}
    })
    service.app.get('/events', (_request, reply) => void openEvents(reply))
    return { service, begun, end, port: await service.listen(0) }
  }

  it('answers at both loopback addresses, and at neither once it is closed', async () => {
    const { service, port } = await start('both')
    const hosts = await loopbacks()
    const answers = await Promise.all(hosts.map(host => fetch(`http://${host}:${port}/health`)))
    for (const { status, headers } of answers)
      expect([status, headers.get('keep-alive')]).toEqual([200, 'timeout=72'])
    await service.close()
    for (const host of hosts) await expect(fetch(`http://${host}:${port}/health`)).rejects.toThrow()
  })

  it('ends the requests under way when it is closed, but waits for no event stream', async () => {
    for (const host of await loopbacks()) {
      const { service, begun, end, port } = await start('closing')
      const events = await fetch(`http://${host}:${port}/events`)
      const answer = fetch(`http://${host}:${port}/slow`)
      await begun
      const closed = service.close()
      end()
      expect((await answer).status).toBe(200)
      await closed
      await expect(events.text()).rejects.toThrow()
    }
  })
})

describe('a service that lets another one answer', () => {
  /** It answers nothing by itself. */
  const start = async () => {
    const held: ServerResponse[] = []
    const passOn = (_request: IncomingMessage, response: ServerResponse) => held.push(response) > 0
    const service = await createServer({ name: 'front', logger: createLogger('front', 'silent'), passOn })
    const port = await service.listen(0, '127.0.0.1')
    return { service, held, port }
  }

  it('ends only when the answers that are under way have ended', async () => {
    const { service, held, port } = await start()
    const [whole, begun] = [fetch(`http://127.0.0.1:${port}/a`), fetch(`http://127.0.0.1:${port}/b`)]
    await expect.poll(() => held.length).toBe(2)
    const second = held.find(({ req }) => req.url === '/b')
    second?.write('one,')
    const closed = service.close()
    await expect(fetch(`http://127.0.0.1:${port}/c`)).rejects.toThrow()
    held.find(({ req }) => req.url === '/a')?.end('all')
    expect(await (await whole).text()).toBe('all')
    second?.end('two')
    expect(await (await begun).text()).toBe('one,two')
    await closed
  })
})

it('lets go of requests whose client leaves before the answer ends, whatever answers', async () => {
  const responses: Record<string, WeakRef<ServerResponse>> = {}
  const service = await createServer({
    name: 'pets',
    logger: createLogger('pets', 'silent'),
    passOn: ({ url = '' }, response) => {
      responses[url] = new WeakRef(response)
      return url === '/passed-on'
    },
  })
  const left = Promise.withResolvers<void>()
  service.app.get('/events', (_request, reply) => void openEvents(reply))
  service.app.get('/slow', async () => {
    await left.promise
    return 'done'
  })
  const port = await service.listen(0, '127.0.0.1')
  for (const url of ['/passed-on', '/events', '/slow']) {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`))
    await expect.poll(() => responses[url]).toBeDefined()
    socket.destroy()
    await expect.poll(() => responses[url]?.deref()?.closed ?? true).toBe(true)
  }
  left.resolve()
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const kept = () => {
    collect()
    return Object.keys(responses).filter(url => responses[url]?.deref())
  }
  await expect.poll(kept).toEqual([])
  await service.close()
})

it('lets go of finished requests at the next collection of young objects', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (what?: { type: 'minor' }) => void
  const service = await createServer({ name: 'pets', logger: createLogger('pets', 'silent') })
  service.on(poke).serve(async () => {
    await setImmediate()
    return { ok: true }
  })
  const port = await service.listen(0, '127.0.0.1')
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  const ask = async (socket: Socket) => {
    socket.write('POST /poke HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
    await once(socket, 'data')
  }
  const serveMany = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(sockets.map(ask))
      // Twice: what survives both is among the old objects.
      collect({ type: 'minor' })
      collect({ type: 'minor' })
    }
  }
  const oldBytes = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? NaN
  await serveMany(4)
  collect()
  const before = oldBytes()
  await serveMany(10)
  // A finished request that is kept takes more than 4 kB.
  expect((oldBytes() - before) / 500).toBeLessThan(2_000)
  for (const socket of sockets) socket.destroy()
  await service.close()
})

it('logs a client that leaves in the middle of its body as no fault of ours', async () => {
  const lines: { level: number }[] = []
  const logger = createLogger('pets', 'info', { write: line => void lines.push(JSON.parse(line)) })
  const service = await createServer({ name: 'pets', logger })
  let failures = 0
  service.app.addHook('onError', async () => void failures++)
  service.on(addPet).serve(({ body }) => body)
  const port = await service.listen(0, '127.0.0.1')
  const head =
    'POST /pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(head, () => setTimeout(() => socket[leave](), 50)),
    )
    await once(socket, 'close')
  }
  await expect.poll(() => failures).toBe(2)
  expect(lines.filter(({ level }) => level >= 40)).toEqual([])
  await service.close()
})

/** A machine without IPv6 has one. */
async function loopbacks(): Promise<string[]> {
  const probe = createTcpServer()
  const six = await new Promise<boolean>(resolve =>
    probe.once('error', () => resolve(false)).listen(0, '::1', () => probe.close(() => resolve(true))),
  )
  return six ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']
}

/** What the server at a port says to raw bytes until it closes the connection. */
function exchange(host: string, port: number, sent: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, host, () => socket.write(sent))
    let text = ''
    socket.on('data', data => (text += data))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
}
