import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import packageFile from '../../package.json' with { type: 'json' }
import { chooseCoding, readConsoleFiles, type ConsoleFile } from './console-files.ts'
import { isTooLarge, passOn, type Upstream } from './console-pass.ts'
import { ConfigError, integer, optional, secret, url, type Env } from './env.ts'
import { Problem, problemDocument, unavailable } from './problem.ts'
import type { Running } from './run.ts'
import { refuseUnreadable } from './unreadable.ts'

export interface ConsoleSettings {
  /** As `GET /health` and the log name it. */
  name: string
  port: number
  /** `localhost`: both loopback addresses. */
  bindHost: string
  /** Where `vite build` put the console. */
  folder: string
  platformUrl: string
  aggregatorUrl: string
  /** Proves to the services that forwarded addresses come from here. */
  proxySecret: string
}

/** Reads BIND_HOST, PLATFORM_URL, AGGREGATOR_URL, PROXY_SECRET and the console's own port. */
export function consoleSettings(
  env: Env,
  console: { name: string; portName: string; port: number; folder: string },
): ConsoleSettings {
  return {
    name: console.name,
    port: integer(env, console.portName, console.port),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    folder: console.folder,
    platformUrl: url(env, 'PLATFORM_URL', 'http://localhost:4000'),
    aggregatorUrl: url(env, 'AGGREGATOR_URL', 'http://localhost:3005'),
    proxySecret: secret(env, 'PROXY_SECRET'),
  }
}

// Everything from this origin, nothing inline: the consoles hold sessions of people who may spend money.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * A console's web server: its built files with every unknown page answered by the index (the browser routes),
 * and the services it speaks to at the same origin: `/api/…` the platform, `/aggregator/…` the aggregator,
 * `/docs/problems/…` what a problem means.
 * Throws {@link ConfigError} when the console was not built.
 */
export async function startConsole(
  settings: ConsoleSettings,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number }> {
  const files = await readConsoleFiles(settings.folder).catch(() => new Map<string, ConsoleFile>())
  const index = files.get('/index.html')
  if (!index) throw new ConfigError(`${settings.folder} holds no console: run npm run build first`)
  const upstreams: Upstream[] = [
    { prefix: '/api/', url: settings.platformUrl, strip: false, sessions: true },
    { prefix: '/aggregator/', url: settings.aggregatorUrl, strip: true, sessions: false },
    // What the `type` of a problem names, also where the problem came through here.
    { prefix: '/docs/problems/', url: settings.platformUrl, strip: false, sessions: false },
  ]

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const upstream = upstreams.find(({ prefix }) => path.startsWith(prefix))
    if (upstream && isTooLarge(request)) {
      request.resume()
      sendProblem(response, new Problem('body-too-large', 'The body is larger than any endpoint here takes.'))
    } else if (upstream) {
      passOn(upstream, settings.proxySecret, request, response, error => {
        logger.warn({ err: error, path }, 'a service could not be reached')
        sendProblem(response, unavailable('The service behind this console', error))
      })
    } else if (path === '/health') {
      sendJson(response, 200, 'application/json', {
        status: 'ok',
        service: settings.name,
        version: packageFile.version,
        checks: { files: 'ok' },
      })
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendProblem(response, new Problem('not-found', `There is no ${request.method} ${path} here.`))
    } else if (path.startsWith('/assets/') && !files.has(path)) {
      // A page of an older build asks for a chunk that is gone: the index would be a script of the wrong type.
      sendProblem(response, new Problem('not-found', `There is no file ${path} here.`))
    } else {
      sendFile(request, response, files.get(path) ?? index)
    }
  }

  const { port, servers } = await listen(answer, settings.port, settings.bindHost)
  logger.info({ port, host: settings.bindHost }, 'listening')
  return { port, stop: async () => void (await Promise.all(servers.map(close))) }
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const coding = chooseCoding(file, String(request.headers['accept-encoding'] ?? ''))
  const body = file.bodies[coding] ?? file.bodies.identity
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'x-request-id': randomUUID(),
    'content-type': file.type,
    'content-length': body.length,
    'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-store',
    vary: 'accept-encoding',
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function sendProblem(response: ServerResponse, problem: Problem): void {
  const requestId = randomUUID()
  const headers = { 'x-request-id': requestId, ...problem.extra.headers }
  const document = problemDocument(problem, requestId)
  sendJson(response, problem.status, 'application/problem+json', document, headers)
}

function sendJson(
  response: ServerResponse,
  status: number,
  type: string,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'x-request-id': randomUUID(),
    'cache-control': 'no-store',
    ...headers,
    'content-type': type,
  })
  response.end(JSON.stringify(body))
}

/** `localhost` means 127.0.0.1 and, where the machine has it, ::1: browsers try either first. */
async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
  host: string,
): Promise<{ port: number; servers: Server[] }> {
  const first = await listenAt(answer, port, host === 'localhost' ? '127.0.0.1' : host)
  const bound = (first.address() as AddressInfo).port
  if (host !== 'localhost') return { port: bound, servers: [first] }
  const second = await listenAt(answer, bound, '::1').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return undefined
    await close(first)
    throw error
  })
  return { port: bound, servers: second ? [first, second] : [first] }
}

function listenAt(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
  host: string,
): Promise<Server> {
  const server = createServer({ requestTimeout: 60_000 }, answer)
  server.on('clientError', refuseUnreadable)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
