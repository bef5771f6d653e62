import { hostSecret } from '@windlass/service/http/client-address.ts'
import { createClient } from '@windlass/client/client.ts'
import { listRoutes, putRoute, removeRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { framingAttacks, recordingServer, tryAttack } from '@windlass/testing/framing.ts'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { randomUUID, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from './start.ts'

const SERVICE_SECRET = 's'.repeat(40)
const PROXY_SECRET = 'p'.repeat(40)

interface Echo {
  name: string
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

let folder: string
let running: Awaited<ReturnType<typeof start>>
const upstreams: http.Server[] = []
const connections = { opened: 0, hungUp: 0 }

/** A server that tells what it was asked, and behaves badly where the path says so. */
async function upstream(name: string): Promise<string> {
  const server = http.createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const serve = async (request: IncomingMessage, response: http.ServerResponse) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.write('data: one\n\n')
    }
    if (request.url === '/silent-events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.flushHeaders()
    }
    if (request.url === '/hang-up') return request.socket.destroy()
    if (request.url === '/hang-up-once' && connections.hungUp++ === 0) return request.socket.destroy()
    if (request.url === '/half') {
      response.writeHead(200, { 'content-length': '100' })
      return response.write('half', () => response.destroy())
    }
    if (request.url === '/early')
      return response.writeHead(401, { connection: 'keep-alive, x-hop', 'x-hop': '1' }).end('no')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const echo: Echo = { name, method, url, headers, body: Buffer.concat(chunks).toString() }
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] })
    response.end(JSON.stringify(echo))
  }
  server.on('upgrade', (request, socket) => {
    if (request.url === '/refuse') return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno')
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n')
    socket.write(`hello ${request.headers.host} ${request.headers['x-windlass-proxy'] ?? 'stranger'}\n`)
    socket.on('data', data => socket.write(data))
    socket.on('end', () => socket.end())
  })
  server.on('connection', () => connections.opened++)
  upstreams.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let targets: Record<'api' | 'sep' | 'business', string>
const config = () => ({
  port: 0,
  dashboardPort: 0,
  bindHost: '127.0.0.1',
  routesFile: join(folder, 'proxy', 'routes.json'),
  staticHosts: new Map([
    ['api.localhost', targets.api],
    ['down.localhost', 'http://127.0.0.1:18599'],
  ]),
  serviceSecret: SERVICE_SECRET,
  proxySecret: PROXY_SECRET,
  trustedProxies: [] as string[],
  certificateHeader: undefined as string | undefined,
})
const logger = createLogger('test', 'silent')
const admin = (secret = SERVICE_SECRET) =>
  createClient({
    baseUrl: `http://127.0.0.1:${running.dashboardPort}`,
    headers: { 'x-service-secret': secret },
  })
const acme = () => ({
  host: 'acme.anchors.localhost',
  label: 'anchor1',
  rules: [
    { prefix: '/', target: targets.sep },
    { prefix: '/api/v1/', target: targets.business },
    { prefix: '/admin/', target: null },
  ],
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-proxy-'))
  targets = { api: await upstream('api'), sep: await upstream('sep'), business: await upstream('business') }
  running = await start(config(), logger)
  await admin().call(putRoute, { params: { host: acme().host }, body: acme() })
})
afterAll(async () => {
  await running.stop()
  for (const server of upstreams) {
    server.closeAllConnections()
    server.close()
  }
  await rm(folder, { recursive: true })
})

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  echo: Echo
}
interface Ask {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string
  port?: number
}
function open(host: string, path: string, { method = 'GET', headers = {}, body, port }: Ask = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      port: port ?? running.port,
      host: '127.0.0.1',
      path,
      method,
      headers: { host, ...headers },
    }
    const request = http.request(options, resolve)
    request.on('error', reject)
    request.end(body)
  })
}
async function ask(host: string, path: string, init: Ask = {}): Promise<Answer> {
  const response = await open(host, path, init)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const echo = (text.startsWith('{') ? JSON.parse(text) : {}) as Echo
  return { status: response.statusCode ?? 0, headers: response.headers, text, echo }
}
/** Sends bytes as they stand and reads until the proxy closes. */
function raw(bytes: string, port = running.port): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', data => (text += data))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

describe('routing', () => {
  it.each([
    ['acme.anchors.localhost', '/', 'sep'],
    ['acme.anchors.localhost', '/auth?account=G', 'sep'],
    ['acme.anchors.localhost', '/api/v1/keys?x=%20y', 'business'],
    ['acme.anchors.localhost', '/api/v1', 'business'],
    ['acme.anchors.localhost', '/api/v10', 'sep'],
    ['ACME.anchors.localhost.:8080', '/', 'sep'],
    ['api.localhost', '/health', 'api'],
  ])('takes %s%s to the server of %s, path and host untouched', async (host, path, name) => {
    const { status, echo } = await ask(host, path)
    expect(status).toBe(200)
    expect(echo).toMatchObject({ name, url: path })
    expect(echo.headers.host).toBe(host)
  })

  it.each([
    '/metrics',
    '/metrics/',
    '/metrics?x',
    '/METRICS',
    '/%6detrics',
    '//metrics',
    '/./metrics',
    '/x/../metrics',
    '/x/%2e%2e/metrics',
    '/x%2f..%2fmetrics',
    '/\\metrics',
    '/admin/summary',
    '/admin',
    '/%61dmin/summary',
    '/api/v1/../../admin/summary',
  ])('never routes %s', async path => {
    expect((await ask('acme.anchors.localhost', path)).status).toBe(404)
  })

  it('refuses paths that cannot be decoded', async () => {
    expect((await ask('acme.anchors.localhost', '/%E0%A4%A')).status).toBe(400)
    expect((await ask('acme.anchors.localhost', '/a%00b')).status).toBe(400)
  })

  it('answers for an unknown host with a page for people and a problem for programs', async () => {
    const program = await ask('nobody.localhost', '/')
    expect(program.status).toBe(404)
    expect(JSON.parse(program.text)).toMatchObject({ code: 'no-such-host', status: 404 })
    const people = await ask('<b>.localhost', '/', { headers: { accept: 'text/html' } })
    expect(people.status).toBe(400)
    const page = await ask('nobody.localhost', '/', { headers: { accept: 'text/html,*/*' } })
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.text).toContain('nobody.localhost')
  })

  it('says 502 and when to come back where nothing listens behind a host', async () => {
    const answer = await ask('down.localhost', '/', { method: 'POST', body: 'x' })
    expect(answer.status).toBe(502)
    expect(answer.headers['retry-after']).toBe('5')
    expect(JSON.parse(answer.text).code).toBe('upstream-unreachable')
    expect((await ask('acme.anchors.localhost', '/hang-up')).status).toBe(502)
  })

  it('sends a read again where the server ended meanwhile, and nothing that may change something', async () => {
    for (const [method, status, times] of [
      ['GET', 200, 2],
      ['POST', 502, 1],
    ] as const) {
      connections.hungUp = 0
      expect((await ask('acme.anchors.localhost', '/hang-up-once', { method })).status).toBe(status)
      expect(connections.hungUp).toBe(times)
    }
  })

  it('breaks off an answer that its server broke off', async () => {
    await expect(ask('acme.anchors.localhost', '/half')).rejects.toThrow(/aborted|hang up/)
  })
})

describe('headers', () => {
  it('replace what a stranger claims, and name the client', async () => {
    const { echo } = await ask('api.localhost', '/', {
      headers: {
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'x-real-ip': '6.6.6.6',
        forwarded: 'for=6.6.6.6',
        'x-windlass-proxy': 'guess',
      },
    })
    expect(echo.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'api.localhost',
      'x-windlass-proxy': PROXY_SECRET,
    })
    expect(JSON.stringify(echo.headers)).not.toContain('6.6.6.6')
  })

  it('prove the proxy to an anchor by a secret of its host, never by the proxy secret', async () => {
    const { echo } = await ask('acme.anchors.localhost', '/', {
      headers: { 'x-windlass-proxy': PROXY_SECRET },
    })
    expect(echo.headers['x-windlass-proxy']).toBe(hostSecret(PROXY_SECRET, 'acme.anchors.localhost'))
    expect(echo.headers['x-forwarded-for']).toBe('127.0.0.1')
  })

  it('of one connection go no further, in either direction', async () => {
    const { echo } = await ask('acme.anchors.localhost', '/', {
      headers: {
        connection: 'close, x-secret',
        'x-secret': '1',
        te: 'trailers',
        'proxy-authorization': 'x',
      },
    })
    for (const name of ['x-secret', 'te', 'proxy-authorization']) expect(echo.headers[name]).toBeUndefined()
    expect(echo.headers.host).toBe('acme.anchors.localhost')
    const { headers } = await ask('acme.anchors.localhost', '/early')
    expect(headers['x-hop']).toBeUndefined()
  })

  it('keep each cookie that is set', async () => {
    expect((await ask('api.localhost', '/')).headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  it('of a proxy in front count where it is trusted', async () => {
    const behind = await start(
      { ...config(), routesFile: join(folder, 'behind.json'), trustedProxies: ['127.0.0.0/8'] },
      logger,
    )
    const { echo, headers } = await ask('api.localhost', '/', {
      port: behind.port,
      headers: { 'x-forwarded-for': '6.6.6.6, 9.9.9.9', 'x-forwarded-proto': 'https' },
    })
    expect(echo.headers).toMatchObject({ 'x-forwarded-for': '9.9.9.9', 'x-forwarded-proto': 'https' })
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
    const plain = await ask('api.localhost', '/', { port: behind.port })
    expect(plain.headers['strict-transport-security']).toBeUndefined()
    const refused = await ask('nowhere.localhost', '/', {
      port: behind.port,
      headers: { 'x-forwarded-for': '9.9.9.9', 'x-forwarded-proto': 'https', 'x-request-id': 'order-4711' },
    })
    expect([refused.status, refused.headers]).toEqual([
      404,
      expect.objectContaining({
        'strict-transport-security': 'max-age=31536000',
        'x-request-id': 'order-4711',
        vary: 'accept',
      }),
    ])
    await behind.stop()
  })

  it('name the certificate of the client where a proxy in front says it, and nobody else', async () => {
    const { cert } = await certificateOf('provider.example', new Date(Date.now() + 86_400_000))
    const sha256 = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase()
    const ways = [cert, sha256].map(encodeURIComponent)
    const said = async (over: Partial<ReturnType<typeof config>>, headers: Record<string, string>) => {
      const routesFile = join(folder, `${randomUUID()}.json`)
      const front = await start({ ...config(), routesFile, ...over }, logger)
      const { echo } = await ask('api.localhost', '/', { port: front.port, headers })
      await front.stop()
      return echo.headers['x-windlass-client-certificate']
    }
    const trusted = { trustedProxies: ['127.0.0.0/8'], certificateHeader: 'x-client-certificate' }
    for (const way of ways) {
      expect(await said(trusted, { 'x-client-certificate': way })).toBe(sha256)
      expect(await said({ ...trusted, trustedProxies: [] }, { 'x-client-certificate': way })).toBeUndefined()
      expect(
        await said({ trustedProxies: trusted.trustedProxies }, { 'x-client-certificate': way }),
      ).toBeUndefined()
      expect(await said(trusted, { 'x-windlass-client-certificate': way })).toBeUndefined()
    }
    expect(await said(trusted, { 'x-client-certificate': 'none' })).toBeUndefined()
    expect(await said(trusted, { 'x-client-certificate': '' })).toBeUndefined()
  })

  it('pass a stranger’s trace on as a stranger’s, and nothing that says it is ours', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const { echo } = await ask('api.localhost', '/', {
      headers: { traceparent, 'x-windlass-trace': traceparent.replace('0af', '1af') },
    })
    expect(echo.headers['x-windlass-trace']).toBe(traceparent)
    expect(echo.headers.traceparent).toBeUndefined()
    const forged = await ask('api.localhost', '/', { headers: { 'x-windlass-trace': traceparent } })
    expect(forged.echo.headers['x-windlass-trace']).toBeUndefined()
  })
})

describe('bodies', () => {
  it('arrive whole, with and without a length', async () => {
    const body = 'x'.repeat(300_000)
    const sized = await ask('api.localhost', '/', { method: 'POST', body })
    expect(sized.echo.body).toBe(body)
    const chunked = { method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } }
    expect((await ask('api.localhost', '/', chunked)).echo.body).toBe(body)
  })

  it('over 25 MB are refused, whether they say so or not', async () => {
    const said = await raw('POST / HTTP/1.1\r\nHost: api.localhost\r\nContent-Length: 99999999\r\n\r\n')
    expect(said).toContain('HTTP/1.1 413')
    const megabyte = `100000\r\n${'x'.repeat(1_048_576)}\r\n`
    const head = 'POST / HTTP/1.1\r\nHost: api.localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(await raw(head + megabyte.repeat(27) + '0\r\n\r\n').catch((e: Error) => e.message)).toMatch(
      /HTTP\/1.1 413|ECONNRESET|EPIPE/,
    )
    expect((await ask('api.localhost', '/')).status).toBe(200)
  })

  it('stream on without waiting for their end, the head before the first event', async () => {
    const events = await open('acme.anchors.localhost', '/events')
    const first = await new Promise<string>(resolve => events.once('data', data => resolve(String(data))))
    expect(first).toBe('data: one\n\n')
    events.destroy()
    const silent = await open('acme.anchors.localhost', '/silent-events')
    expect(silent.headers['content-type']).toBe('text/event-stream')
    silent.destroy()
  })
})

describe('requests that two servers could read differently', () => {
  it('give no attacker a second request behind, whatever the method and framing', async () => {
    const behind = await recordingServer()
    const second = await start(
      {
        ...config(),
        routesFile: join(folder, 'framing.json'),
        staticHosts: new Map([['api.localhost', behind.url]]),
      },
      logger,
    )
    const holes: string[] = []
    for (const attack of framingAttacks('api.localhost', '/api/v1/x')) {
      const next = { host: 'api.localhost', path: '/api/v1/admin/me' }
      const wrong = await tryAttack(second.port, attack, behind, next)
      if (wrong) holes.push(`${attack.name}: ${wrong}`)
    }
    expect(holes).toEqual([])
    await second.stop()
    behind.close()
  })

  it('are refused: no host', async () => {
    expect(await raw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400/)
    expect(await raw('HELLO\r\n\r\n')).toContain('"code":"malformed-request"')
  })

  it('are not: an address in place of a path where its host is the one of the Host header', async () => {
    const request =
      'GET http://API.localhost/a?b=1 HTTP/1.1\r\nHost: api.localhost\r\nConnection: close\r\n\r\n'
    expect(await raw(request)).toContain('"url":"/a?b=1"')
  })
})

describe('connections', () => {
  it('to a server behind are kept and used again', async () => {
    await ask('api.localhost', '/')
    const before = connections.opened
    for (let i = 0; i < 20; i++) await ask('api.localhost', '/')
    expect(connections.opened - before).toBeLessThanOrEqual(2)
  })

  function upgrade(host: string, path: string, name = 'websocket'): Promise<string> {
    return raw(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ${name}\r\nX-Windlass-Proxy: guess\r\n\r\n`,
    )
  }
  it('become WebSockets, the proxy secret for our own services only', async () => {
    const talk = (host: string) =>
      new Promise<string>(resolve => {
        const request = http.request({
          port: running.port,
          host: '127.0.0.1',
          path: '/socket',
          headers: { host, connection: 'Upgrade', upgrade: 'websocket', 'x-windlass-proxy': 'guess' },
        })
        request.on('upgrade', (_response, socket, head) => {
          let text = head.toString()
          socket.on('data', data => {
            text += data
            if (text.includes('ping')) (socket.destroy(), resolve(text))
          })
          socket.write('ping')
        })
        request.end()
      })
    expect(await talk('api.localhost')).toContain(`hello api.localhost ${PROXY_SECRET}`)
    expect(await talk('acme.anchors.localhost')).toContain(
      `hello acme.anchors.localhost ${hostSecret(PROXY_SECRET, 'acme.anchors.localhost')}`,
    )
  })

  it('do not where the host is unknown, the path closed, the server down or unwilling', async () => {
    expect(await upgrade('nobody.localhost', '/')).toMatch(/^HTTP\/1.1 404/)
    expect(await upgrade('acme.anchors.localhost', '/metrics')).toMatch(/^HTTP\/1.1 404/)
    expect(await upgrade('down.localhost', '/')).toMatch(/^HTTP\/1.1 502/)
    expect(await upgrade('acme.anchors.localhost', '/refuse')).toMatch(/^HTTP\/1.1 403/)
  })

  it('that ask for another protocol are plain requests', async () => {
    const { echo } = await ask('api.localhost', '/', { headers: { connection: 'Upgrade', upgrade: 'h2c' } })
    expect(echo.headers.upgrade).toBeUndefined()
  })
})

describe('the admin interface', () => {
  const call = () => admin()
  const host = 'other.anchors.localhost'

  it('sets, changes, lists and removes routes, at once and for good', async () => {
    const route = { host, rules: [{ prefix: '/', target: targets.sep }] }
    expect(await call().call(putRoute, { params: { host }, body: route })).toEqual(route)
    expect((await ask(host, '/')).echo.name).toBe('sep')
    const moved = { host, rules: [{ prefix: '/', target: targets.business }] }
    await call().call(putRoute, { params: { host }, body: moved })
    expect((await ask(host, '/')).echo.name).toBe('business')
    const second = await start(config(), logger)
    expect((await ask(host, '/', { port: second.port })).echo.name).toBe('business')
    await second.stop()
    expect((await call().call(listRoutes, {})).map(kept => kept.host)).toContain(host)
    await call().call(removeRoute, { params: { host } })
    await call().call(removeRoute, { params: { host } })
    expect((await ask(host, '/')).status).toBe(404)
    expect(await readFile(config().routesFile, 'utf8')).not.toContain(host)
  })

  it('keeps every route when many are set at once', async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => `many${i}.anchors.localhost`)
    const rules = [{ prefix: '/', target: targets.sep }]
    await Promise.all(
      hosts.map(h => call().call(putRoute, { params: { host: h }, body: { host: h, rules } })),
    )
    const kept = await readFile(config().routesFile, 'utf8')
    for (const h of hosts) expect(kept).toContain(`"${h}"`)
    await Promise.all(hosts.map(h => call().call(removeRoute, { params: { host: h } })))
  })

  it('is closed without the service secret', async () => {
    await expect(admin('x'.repeat(40)).call(listRoutes, {})).rejects.toMatchObject({ status: 401 })
  })

  it.each([
    [
      'another host in the path',
      'a.localhost',
      { host, rules: [{ prefix: '/', target: 'http://127.0.0.1:1' }] },
    ],
    [
      'a target that is no web address',
      host,
      { host, rules: [{ prefix: '/', target: 'file:///etc/passwd' }] },
    ],
    ['credentials in the target', host, { host, rules: [{ prefix: '/', target: 'http://a:b@127.0.0.1' }] }],
    ['no rules', host, { host, rules: [] }],
    ['a host with a port', 'a:80', { host: 'a:80', rules: [{ prefix: '/', target: null }] }],
  ])('refuses %s', async (_what, at, body) => {
    await expect(call().call(putRoute, { params: { host: at }, body })).rejects.toMatchObject({ status: 400 })
  })

  it('leaves the hosts of PROXY_HOSTS as they are', async () => {
    const body = { host: 'api.localhost', rules: [{ prefix: '/', target: targets.sep }] }
    const params = { host: 'api.localhost' }
    await expect(call().call(putRoute, { params, body })).rejects.toMatchObject({ status: 409 })
    await expect(call().call(removeRoute, { params })).rejects.toMatchObject({ status: 409 })
  })

  it('serves what another proxy was given while one takes over from the other', async () => {
    const other = await start(config(), createLogger('test', 'silent'))
    const admin = createClient({ baseUrl: `http://127.0.0.1:${other.dashboardPort}` })
    const headers = { 'x-service-secret': SERVICE_SECRET }
    const host = 'handed.anchors.localhost'
    const body = { host, rules: [{ prefix: '/', target: targets.sep }] }
    const hosts = async () => (await call().call(listRoutes, {})).map(route => route.host)
    await admin.call(putRoute, { params: { host }, body, headers })
    await expect.poll(hosts).toContain(host)
    // Neither loses what the other has.
    await call().call(removeRoute, { params: { host } })
    await expect
      .poll(async () => (await admin.call(listRoutes, { headers })).map(each => each.host))
      .not.toContain(host)
    await other.stop()
  })

  it('starts without a file with the routes of anchors that other copies serve', async () => {
    const copiesAt = `http://127.0.0.1:${running.dashboardPort}`
    const settings = {
      ...config(),
      staticHosts: new Map(),
      copiesAt,
      routesFile: join(folder, 'copy', 'routes.json'),
    }
    const copy = await start(settings, logger)
    expect((await ask(acme().host, '/api/v1/x', { port: copy.port })).echo.name).toBe('business')
    expect((await ask('api.localhost', '/', { port: copy.port })).status).toBe(404)
    const headers = { 'x-service-secret': SERVICE_SECRET }
    const others = createClient({ baseUrl: `http://127.0.0.1:${copy.dashboardPort}`, headers })
    const host = 'later.anchors.localhost'
    await others.call(putRoute, { params: { host }, body: { ...acme(), host } })
    expect((await ask(acme().host, '/api/v1/x', { port: copy.port })).echo.name).toBe('business')
    await copy.stop()
    const routesFile = join(folder, 'alone', 'routes.json')
    const alone = await start({ ...settings, routesFile, copiesAt: 'http://127.0.0.1:18599' }, logger)
    expect((await ask(acme().host, '/', { port: alone.port })).status).toBe(404)
    await alone.stop()
  })

  it('puts an unreadable file aside and starts', async () => {
    const routesFile = join(folder, 'broken.json')
    await writeFile(routesFile, '{"routes":[{"host":')
    const second = await start({ ...config(), routesFile }, logger)
    expect((await ask('api.localhost', '/', { port: second.port })).status).toBe(200)
    expect(await readFile(`${routesFile}.unreadable`, 'utf8')).toContain('host')
    await second.stop()
  })
})

describe('the dashboard', () => {
  const at = (path: string, host = 'localhost:8090') => ask(host, path, { port: running.dashboardPort })

  it('shows routes and the health of their targets, and no secret', async () => {
    const page = await at('/')
    expect(page.text).toContain('Reverse proxy')
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    await expect
      .poll(async () => JSON.parse((await at('/api/routes')).text).targets[0].state)
      .not.toBe('unknown')
    const { text } = await at('/api/routes')
    const shown = JSON.parse(text)
    expect(shown.routes).toContainEqual(expect.objectContaining({ host: acme().host, label: 'anchor1' }))
    expect(shown.targets).toContainEqual(expect.objectContaining({ target: targets.api, state: 'up' }))
    expect(shown.targets).toContainEqual(
      expect.objectContaining({
        target: 'http://127.0.0.1:18599',
        state: 'down',
        detail: 'nothing listens there',
      }),
    )
    expect(text).not.toContain(PROXY_SECRET)
    expect(text).not.toContain(SERVICE_SECRET)
  })

  it('answers this machine only', async () => {
    for (const path of ['/', '/api/routes', '/page.js']) {
      expect((await at(path, 'evil.example')).status).toBe(403)
      expect((await at(path, 'localhost.evil.example')).status).toBe(403)
      expect((await at(path, 'proxy.localhost')).status).toBe(200)
      expect((await at(path, '127.0.0.1:8090')).status).toBe(200)
    }
  })

  it('tells which names may have a certificate, and its own health', async () => {
    expect((await at('/ask?domain=acme.anchors.localhost')).status).toBe(200)
    expect((await at('/ask?domain=nobody.example')).status).toBe(404)
    expect((await at('/ask')).status).toBe(404)
    expect((await at('/health', 'reverse-proxy:8090')).status).toBe(200)
  })
})
