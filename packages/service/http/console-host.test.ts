import { framingAttacks, recordingServer, tryAttack } from '@windlass/testing/framing.ts'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { consoleSettings, startConsole, type ConsoleSettings } from './console-host.ts'
import { ConfigError } from '../process/env.ts'
import { createLogger } from '../observe/logger.ts'

const PROXY_SECRET = 'the-secret-of-our-own-proxy-0123456789'
const htmlOf = (page: string) => `<!doctype html><title>${page}</title>`
const SCRIPT = `export const text = '${'x'.repeat(600)}'`

describe('the server of a console', () => {
  let folder: string
  let upstream: Server
  let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
  let settings: ConsoleSettings
  let running: { port: number; stop(): Promise<void> }
  let base: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-host-'))
    await mkdir(join(folder, 'assets'))
    for (const language of ['en', 'es']) {
      await mkdir(join(folder, 'pages', language), { recursive: true })
      for (const page of ['home', 'apply-company', 'app', '404']) {
        const html = htmlOf(language === 'en' ? page : `${page} in ${language}`)
        await writeFile(join(folder, 'pages', language, `${page}.html`), html)
      }
    }
    const files = { '/': 'home.html', '/apply/company': 'apply-company.html' }
    const pages = { languages: ['en', 'es'], files, routes: ['/provisioning/:jobId'] }
    await writeFile(join(folder, 'pages.json'), JSON.stringify(pages))
    await writeFile(join(folder, 'assets', 'index-Dx3k.js'), SCRIPT)
    await writeFile(join(folder, 'assets', 'index-Dx3k.js.br'), brotliCompressSync(SCRIPT))
    const served = new WeakSet<object>()
    upstream = createServer(async (request, response) => {
      let body = ''
      try {
        for await (const part of request) body += String(part)
      } catch {
        return
      }
      if (request.url?.startsWith('/api/restarted')) {
        // As after a restart: connections that were kept are dead, new ones are well.
        if (served.has(request.socket)) return void request.socket.destroy()
        served.add(request.socket)
      }
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      if (request.url?.startsWith('/api/events')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: one\n\n')
        return
      }
      if (request.url?.startsWith('/api/cut')) {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half')
        setTimeout(() => response.destroy(), 20)
        return
      }
      response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1; HttpOnly', 'b=2'] })
      response.end('{"ok":true}')
    })
    await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    settings = {
      name: 'founder-console',
      port: 0,
      bindHost: 'localhost',
      folder,
      platformUrl: url,
      aggregatorUrl: url,
      proxySecret: PROXY_SECRET,
    }
    running = await startConsole(settings, createLogger('test', 'silent'))
    base = `http://127.0.0.1:${running.port}`
  })
  afterAll(async () => {
    await running?.stop()
    upstream.closeAllConnections()
    upstream.close()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    seen = []
  })

  test.each([
    ['/', 200, 'home'],
    ['/apply/company', 200, 'apply-company'],
    ['/apply/company/', 200, 'apply-company'],
    ['/provisioning/abc?x=1', 200, 'app'],
    ['/provisioning', 404, '404'],
    ['/nowhere', 404, '404'],
    ['/pages/home.html', 404, '404'],
    ['/pages.json', 404, '404'],
  ])('answers %s with %i and its page, never to be stored', async (path, status, page) => {
    const response = await fetch(base + path)
    expect(response.status).toBe(status)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.text()).toBe(htmlOf(page))
  })

  test.each([
    ['es-MX,es;q=0.9,en;q=0.5', undefined, 'home in es'],
    ['fr,en;q=0.8,es;q=0.7', undefined, 'home'],
    ['fr', undefined, 'home'],
    ['en', 'a=1; windlass_language=es', 'home in es'],
    ['es', 'windlass_language=en', 'home'],
    ['en', 'windlass_language=xx', 'home'],
    ['en', 'windlass_language=../es', 'home'],
  ])('to a browser that prefers %s, with the cookie %s, sends %s', async (language, cookie, page) => {
    const headers = { 'accept-language': language, ...(cookie && { cookie }) }
    const response = await fetch(base, { headers })
    expect(response.headers.get('vary')).toBe('accept-encoding, accept-language, cookie')
    expect(await response.text()).toBe(htmlOf(page))
  })

  test('answers hashed files for good, in the coding the client takes', async () => {
    const brotli = await fetch(`${base}/assets/index-Dx3k.js`, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(brotli.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(brotli.headers.get('content-encoding')).toBe('br')
    expect(brotli.headers.get('vary')).toBe('accept-encoding')
    expect(await brotli.text()).toBe(SCRIPT)
    const plain = await fetch(`${base}/assets/index-Dx3k.js`, { headers: { 'accept-encoding': 'br;q=0' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(SCRIPT)
  })

  test('of a sandbox says on each page what it is, in its language, and shows the way to live', async () => {
    const page =
      '<!doctype html><html lang="en"><body><div id="root"></div><noscript>x</noscript></body></html>'
    await writeFile(join(folder, 'pages', 'es', 'app.html'), page)
    const sandbox = await startConsole(
      {
        ...settings,
        installation: { kind: 'sandbox', other: 'https://console.example.org' },
        consoles: {
          'founder-console': 'https://console.sandbox.example.org',
          'admin-console': 'https://admin.sandbox.example.org',
        },
      },
      createLogger('test', 'silent'),
    )
    const ask = (path: string, redirect: 'follow' | 'manual' = 'follow') =>
      fetch(`http://127.0.0.1:${sandbox.port}${path}`, { headers: { 'accept-language': 'es' }, redirect })
    try {
      const shown = await ask('/provisioning/abc')
      expect(await shown.text()).toMatch(
        /<aside.*Entorno de pruebas: sin dinero real.*href="https:\/\/console\.example\.org\/switch\/founder-console\/".*<noscript>/,
      )
      expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(shown.headers.get('cache-control')).toBe('no-store')
      expect(await (await ask('/installation.js')).text()).toContain('location.pathname')
      const led = async (path: string) => (await ask(path, 'manual')).headers.get('location')
      const own = 'https://console.sandbox.example.org'
      expect(await led('/switch/founder-console/apply/company')).toBe(`${own}/apply/company`)
      expect(await led('/switch/founder-console/apply/company/an-id/x')).toBe(`${own}/apply/company`)
      expect(await led('/switch/founder-console//evil.example/x')).toBe(`${own}/`)
      expect(await led('/switch/admin-console/fleet')).toBe(
        'https://admin.sandbox.example.org/switch/admin-console/fleet',
      )
      // No page of another installation leads in circles.
      for (const name of ['unknown', 'constructor'])
        expect(await led(`/switch/${name}//evil.example/x`)).toBe(`${own}/`)
    } finally {
      await sandbox.stop()
    }
  })

  test.each([
    [{ LIVE_URL: 'https://a.example', SANDBOX_URL: 'https://b.example' }, 'both set'],
    [{ LIVE_URL: 'https://a.example', IS_MAINNET: 'true' }, 'no real money'],
  ])('does not start with %j', (env, message) => {
    const start = () =>
      consoleSettings({ PROXY_SECRET, ...env }, { name: 'x', portName: 'X_PORT', port: 0, folder })
    expect(start).toThrow(message)
  })

  test('passes uploaded files of up to 48 MB on, and no other body of that size', async () => {
    const send = (type: string, bytes: number) =>
      fetch(`${base}/api/upload`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: Buffer.alloc(bytes, 'x'),
      })
    expect((await send('application/octet-stream', 2_000_000)).status).toBe(201)
    expect(seen.map(({ body }) => body.length)).toEqual([2_000_000])
    expect((await send('application/json', 2_000_000)).status).toBe(413)
    expect((await send('application/octet-stream', 48_000_001)).status).toBe(413)
    expect(seen).toHaveLength(1)
  })

  test('holds no upload that nobody has asked for yet, and passes on how the service refuses it', async () => {
    const before = process.memoryUsage()
    // The service answers each at once, without reading it.
    const refusing = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"unauthenticated"}')
    })
    await new Promise<void>(resolve => refusing.listen(0, '127.0.0.1', resolve))
    const platformUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
    const console = await startConsole({ ...settings, platformUrl }, createLogger('test', 'silent'))
    const answers = Array.from({ length: 12 }, async () => {
      const sending = request(`http://127.0.0.1:${console.port}/api/v1/anchors/a/sanctions-lists`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'content-length': 40_000_000 },
      })
      const answer = once(sending, 'response') as Promise<[IncomingMessage]>
      await pipeline(Readable.from(Array(400).fill(Buffer.alloc(100_000))), sending)
      const [response] = await answer
      return [response.statusCode, await json(response)]
    })
    let most = 0
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    const found = await Promise.all(answers)
    clearInterval(look)
    expect(new Set(found.map(answer => JSON.stringify(answer)))).toEqual(
      new Set(['[401,{"code":"unauthenticated"}]']),
    )
    // Twelve of them are 480 MB.
    expect(most - before.rss).toBeLessThan(200_000_000)
    await console.stop()
    refusing.closeAllConnections()
    refusing.close()
  })

  test('passes the bytes of a file on as they come, and refuses one without a length', async () => {
    const file = randomBytes(3_000_000)
    const response = await fetch(`${base}/api/upload`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
    })
    expect(response.status).toBe(201)
    expect(seen[0]?.headers).toMatchObject({ 'content-length': '3000000' })
    expect(seen[0]?.headers['transfer-encoding']).toBeUndefined()
    const chunked = await raw(
      running.port,
      'POST /api/upload HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/octet-stream\r\n' +
        'transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    )
    expect(chunked).toMatch(/^HTTP\/1\.1 400/)
    expect(seen).toHaveLength(1)
  })

  test('answers a file of an older build with 404, not with the index', async () => {
    const response = await fetch(`${base}/assets/index-Old1.js`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not-found', status: 404 })
  })

  test('allows nothing but its own origin, and nothing inline', async () => {
    const { headers } = await fetch(base)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test.each(['/../package.json', '/assets/../../package.json', '/..%2fpackage.json', '/%00', '//etc/passwd'])(
    'gives nothing outside of its folder for %s',
    async path => {
      const answer = await raw(running.port, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      expect(answer).not.toContain('"workspaces"')
      expect(answer).not.toContain('root:')
      expect(answer).toMatch(/^HTTP\/1\.1 (200|404)/)
    },
  )

  test('says that it is well', async () => {
    const response = await fetch(`${base}/health`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: 'ok', service: 'founder-console' })
  })

  test('answers HEAD without a body and refuses to be written to', async () => {
    const head = await fetch(base, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(base, { method: 'POST', body: 'x' })).status).toBe(405)
    expect((await fetch(`${base}/openapi.json`)).status).toBe(404)
  })

  test('passes the API on with body, status and every cookie, telling who the client is', async () => {
    const response = await fetch(`${base}/api/v1/applications?x=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://console.localhost' },
      body: '{"a":1}',
    })
    expect(response.status).toBe(201)
    expect(response.headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2'])
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/v1/applications?x=1', body: '{"a":1}' })
    expect(seen[0]!.headers).toMatchObject({
      origin: 'http://console.localhost',
      'x-windlass-proxy': PROXY_SECRET,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `127.0.0.1:${running.port}`,
    })
  })

  test('passes the aggregator on without its prefix, and without the sessions of the platform', async () => {
    const headers = { cookie: 'ns_admin=token' }
    await fetch(`${base}/aggregator/anchors?limit=1`, { headers })
    expect(seen[0]!.url).toBe('/anchors?limit=1')
    expect(seen[0]!.headers.cookie).toBeUndefined()
    await fetch(`${base}/api/v1/admin/me`, { headers })
    expect(seen[1]!.headers.cookie).toBe('ns_admin=token')
  })

  test("drops a stranger's claims: proxy secret, forwarded addresses, service secret", async () => {
    await fetch(`${base}/api/x`, {
      headers: {
        'x-windlass-proxy': 'guessed',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.example',
        'x-service-secret': 'guessed',
      },
    })
    const { headers } = seen[0]!
    expect(headers['x-windlass-proxy']).toBe(PROXY_SECRET)
    expect(String(headers['x-forwarded-for']).split(', ').at(-1)).toBe('127.0.0.1')
    expect(headers['x-forwarded-proto']).toBe('http')
    expect(headers['x-forwarded-host']).toBe(`127.0.0.1:${running.port}`)
    expect(headers['x-service-secret']).toBeUndefined()
  })

  test('passes on what the type of a problem names', async () => {
    await fetch(`${base}/docs/problems/not-found`)
    expect(seen.map(({ url }) => url)).toEqual(['/docs/problems/not-found'])
  })

  test('keeps what our own reverse proxy says of the client', async () => {
    await fetch(`${base}/api/x`, {
      headers: {
        'x-windlass-proxy': PROXY_SECRET,
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'console.example.org',
      },
    })
    expect(seen[0]!.headers).toMatchObject({
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'console.example.org',
    })
  })

  test('streams events as they come, and lets go of the service when the client leaves', async () => {
    const gone = new AbortController()
    const response = await fetch(`${base}/api/events`, { signal: gone.signal })
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toBe('data: one\n\n')
    const closed = new Promise<void>(resolve => {
      upstream.getConnections((_error, before) => {
        gone.abort()
        const look = () =>
          upstream.getConnections((_failure, now) => (now < before ? resolve() : setTimeout(look, 10)))
        look()
      })
    })
    await closed
  })

  test.each([
    ['follow events', 'GET', '/api/events', {}],
    ['upload slowly', 'POST', '/api/v1/applications', { 'content-length': '9000' }],
  ])('serves others while 200 strangers %s', async (_what, method, path, length) => {
    const headers = { 'content-type': 'application/octet-stream', ...length }
    const held = Array.from({ length: 200 }, () => {
      const sending = request(`${base}${path}`, { method, headers, agent: false })
      sending.on('error', () => undefined)
      if (method === 'POST') sending.write('x')
      else sending.end()
      return sending
    })
    const reach = () =>
      new Promise<number>((resolve, reject) => {
        upstream.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      })
    try {
      await expect.poll(reach, { timeout: 10_000 }).toBeGreaterThanOrEqual(128)
      const answer = await fetch(`${base}/api/x`, { signal: AbortSignal.timeout(5_000) })
      expect(answer.status).toBe(201)
    } finally {
      for (const sending of held) sending.destroy()
      // What follows counts connections.
      await expect.poll(reach, { timeout: 10_000 }).toBeLessThan(20)
    }
  })

  test('asks again on a new connection where a kept one had died, and only what reads', async () => {
    for (let round = 0; round < 3; round++) {
      const response = await fetch(`${base}/api/restarted`)
      expect(response.status).toBe(201)
      await response.text()
    }
    const written = await fetch(`${base}/api/restarted`, { method: 'POST', body: '{}' })
    expect(written.status).toBe(503)
    expect(seen.filter(request => request.method === 'POST')).toEqual([])
  })

  test('breaks off where the service breaks off', async () => {
    const response = await fetch(`${base}/api/cut`)
    await expect(response.text()).rejects.toThrow()
  })

  test('refuses a body that is larger than any service takes', async () => {
    const answer = await fetch(`${base}/api/v1/applications`, { method: 'POST', body: 'x'.repeat(200_000) })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'body-too-large' })
    expect(seen).toEqual([])
  })

  test('gives no attacker a second request at the services, whatever the method and framing', async () => {
    const behind = await recordingServer()
    const console = await startConsole(
      { ...settings, platformUrl: behind.url, aggregatorUrl: behind.url },
      createLogger('test', 'silent'),
    )
    const holes: string[] = []
    for (const path of ['/api/v1/x', '/aggregator/anchors', '/docs/problems/not-found']) {
      for (const attack of framingAttacks('console.localhost', path)) {
        const wrong = await tryAttack(console.port, attack, behind, {
          host: 'console.localhost',
          path: '/api/v1/admin/me',
        })
        if (wrong) holes.push(`${attack.name} ${path}: ${wrong}`)
      }
    }
    expect(holes).toEqual([])
    await console.stop()
    behind.close()
  }, 240_000)

  test('answers an address in place of a path where its host is the one of the Host header', async () => {
    const answer = await raw(
      running.port,
      'GET http://Console.localhost/api/v1/x?a=1 HTTP/1.1\r\nhost: console.localhost\r\nconnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 201/)
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/x?a=1'])
  })

  test('answers 503 with Retry-After while a service is down', async () => {
    const lonely = await startConsole(
      { ...settings, platformUrl: 'http://127.0.0.1:9' },
      createLogger('test', 'silent'),
    )
    const response = await fetch(`http://127.0.0.1:${lonely.port}/api/v1/applications`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ code: 'dependency-unavailable', status: 503 })
    await lonely.stop()
  })

  test('does not start where nothing was built', async () => {
    const start = startConsole(
      { ...settings, folder: join(folder, 'nowhere') },
      createLogger('test', 'silent'),
    )
    await expect(start).rejects.toThrow(ConfigError)
  })

  test('reads its settings and needs the proxy secret', () => {
    const console = { name: 'founder-console', portName: 'FOUNDER_CONSOLE_PORT', port: 4001, folder }
    const env = { PROXY_SECRET, PLATFORM_URL: 'http://platform:4000/' }
    expect(consoleSettings(env, console)).toMatchObject({
      port: 4001,
      bindHost: 'localhost',
      platformUrl: 'http://platform:4000',
      aggregatorUrl: 'http://localhost:3005',
    })
    expect(consoleSettings({ ...env, FOUNDER_CONSOLE_PORT: '5001' }, console).port).toBe(5001)
    expect(() => consoleSettings({}, console)).toThrow('PROXY_SECRET is not set')
  })
})

/** A request as written: `fetch` would mend the path. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', part => (answer += part.toString('latin1')))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
