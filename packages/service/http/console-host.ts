import httpProxy from '@fastify/http-proxy'
import serveFiles from '@fastify/static'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ConfigError, integer, optional, secret, url, type Env } from '../process/env.ts'
import { keepCompressed, sendKept, type Kept } from './compressed.ts'
import { dropHopByHop, refuseAmbiguousFraming, setForwarded } from './forwarding.ts'
import {
  installation,
  serveBarScript,
  serveSwitch,
  withInstallation,
  type Installation,
} from './installation.ts'
import { languageOf } from './language.ts'
import { Problem, unavailable } from './problem.ts'
import { run, type Running } from '../process/run.ts'
import { createServer } from './server.ts'

export interface ConsoleSettings {
  /** In `GET /health` and the log. */
  name: string
  port: number
  /** `localhost`: both loopback addresses. */
  bindHost: string
  /** The output of `vite build`. */
  folder: string
  platformUrl: string
  aggregatorUrl: string
  /** Proves to the services that forwarded addresses come from here. */
  proxySecret: string
  /** The sandbox beside a live installation, or the other way around. */
  installation?: Installation | null
  /** Public addresses of the consoles of this installation, by name. */
  consoles?: Readonly<Record<string, string>>
}

/** The process of a console. `folder` holds the output of `vite build`. */
export const runConsole = (
  env: Env,
  console: { name: string; portName: string; port: number; folder: string },
): Promise<void> => run(console.name, logger => startConsole(consoleSettings(env, console), logger))

/** Reads BIND_HOST, PLATFORM_URL, AGGREGATOR_URL, PROXY_SECRET and the console's own port. Throws {@link ConfigError}. */
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
    installation: installation(env),
    consoles: {
      'founder-console': url(env, 'FOUNDER_CONSOLE_URL', 'http://localhost:4001'),
      'admin-console': url(env, 'ADMIN_CONSOLE_URL', 'http://localhost:4002'),
      'customer-portal': url(env, 'CUSTOMER_PORTAL_URL', 'http://localhost:4003'),
    },
  }
}

/**
 * A console's web server: its built files and pages, 404 for every other address, and the services it calls at the
 * same origin: `/api/…` the platform, `/aggregator/…` the aggregator, `/docs/problems/…` the page of a problem. Throws {@link ConfigError} when the console was not built.
 */
export async function startConsole(
  settings: ConsoleSettings,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number }> {
  if (!existsSync(join(settings.folder, 'pages.json'))) {
    throw new ConfigError(`${settings.folder} has no built console. Run npm run build first.`)
  }
  const server = await createServer({
    name: settings.name,
    logger,
    proxySecret: settings.proxySecret,
    cookieRules: false,
    documents: false,
  })
  const { app } = server
  const { platformUrl, aggregatorUrl, proxySecret } = settings
  await forward(app, { prefix: '/api', rewritePrefix: '/api', url: platformUrl, cookies: true, proxySecret })
  await forward(app, {
    prefix: '/aggregator',
    rewritePrefix: '/',
    url: aggregatorUrl,
    cookies: false,
    proxySecret,
  })
  const problems = '/docs/problems'
  await forward(app, {
    prefix: problems,
    rewritePrefix: problems,
    url: platformUrl,
    cookies: false,
    proxySecret,
  })
  await servePages(app, settings)
  const port = await server.listen(settings.port, settings.bindHost)
  logger.info({ port, host: settings.bindHost }, 'listening')
  return { port, stop: server.close }
}

// Everything from this origin, nothing inline: the consoles hold sessions of people who may spend money. Frames are for
// previews, which the platform answers with a policy of their own.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The pages of a build, as its `pages.json` lists them (see packages/ui/build/pages.ts). */
interface Pages {
  /** The folders of the pages, each a language, the default first. */
  languages: string[]
  /** The file of each prerendered address, below its language's folder. */
  files: Record<string, string>
  /** Addresses that the browser renders, with parameters as `:name`. */
  routes: string[]
}

/** The built files as they are at start; no path of a request reaches the file system. */
async function servePages(app: FastifyInstance, settings: ConsoleSettings): Promise<void> {
  const { folder } = settings
  await app.register(serveFiles, {
    root: folder,
    wildcard: false,
    preCompressed: true,
    globIgnore: ['**/*.br', '**/*.gz', 'pages/**', 'pages.json'],
    cacheControl: false,
    setHeaders: (reply, path) => void setHeaders(reply, path.startsWith(join(folder, 'assets'))),
  })
  const pages = JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Pages
  const barred = pagesWithBar(settings)
  const send = async (request: FastifyRequest, reply: FastifyReply, file: string) => {
    const language = languageOf(request.headers, pages.languages)
    const vary = 'accept-encoding, accept-language, cookie'
    if (!barred) return reply.header('vary', vary).sendFile(`pages/${language}/${file}`)
    await sendKept(request, setHeaders(reply, false), await barred(language, file), 'no-store', vary)
    return reply
  }
  for (const [path, file] of Object.entries(pages.files)) {
    app.get(path, (request, reply) => send(request, reply, file))
  }
  const known = [...Object.keys(pages.files), ...pages.routes.map(path => path.replace(/\/:\w+\?$/, ''))]
  if (settings.installation) serveBarScript(app)
  serveSwitch(app, settings.name, known, settings.consoles ?? {})
  for (const path of pages.routes) app.get(path, (request, reply) => send(request, reply, 'app.html'))
  // A page of an older build asks for a file that no longer exists: HTML would be a script of the wrong type.
  for (const path of ['/assets/*', '/openapi.json']) app.get(path, notFound)
  app.get('/*', (request, reply) => send(request, reply.code(404), '404.html'))
}

const setHeaders = (reply: FastifyReply, hashed: boolean) =>
  reply
    .header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-store')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
    .header('x-frame-options', 'DENY')

/** Pages of an installation that has another beside it; each is made when it is first asked for. */
function pagesWithBar({ folder, name, installation }: ConsoleSettings) {
  if (!installation) return undefined
  const kept = new Map<string, Promise<Kept>>()
  const make = async (language: string, path: string): Promise<Kept> => {
    const html = await readFile(join(folder, path), 'utf8')
    return keepCompressed('text/html; charset=utf-8', withInstallation(html, installation, language, name))
  }
  return (language: string, file: string): Promise<Kept> => {
    const path = `pages/${language}/${file}`
    const page = kept.get(path) ?? make(language, path)
    kept.set(path, page)
    return page
  }
}

async function notFound(request: FastifyRequest): Promise<never> {
  throw new Problem('not-found', `There is no file ${request.url.split('?')[0]} here.`)
}

/** A service behind a console, at the same origin: `/aggregator/anchors` is `http://localhost:3005/anchors`. */
interface Upstream {
  prefix: string
  /** What the service's paths have in place of the prefix. */
  rewritePrefix: string
  url: string
  /** Whether the service reads the browser's sessions; from any other service cookies are withheld. */
  cookies: boolean
  proxySecret: string
}

const ANSWER_WITHIN_MS = 30_000
const SILENCE_MS = 60_000
// A connection that was kept may have died with a restart of the service.
/** Files that people upload, such as sanctions lists. */
const MAX_UPLOAD_BYTES = 48_000_000
const CONNECTION_LOST = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/**
 * Passes requests on and streams answers back, server-sent events included. Bodies are read in full first, so that
 * the service gets exactly the bytes read here with a length of our own. Files pass as they come, by the length that they
 * were sent with: nobody has been asked who they are yet, and the service refuses a stranger before it reads them.
 */
async function forward(app: FastifyInstance, upstream: Upstream): Promise<void> {
  await app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
      request.rawBytes = bytes as Buffer
      done(null, bytes.length > 0 ? Readable.from([bytes]) : undefined)
    })
    scope.addContentTypeParser(
      'application/octet-stream',
      (
        request: FastifyRequest,
        body: IncomingMessage,
        done: (error: Error | null, body?: PassThrough) => void,
      ) => {
        const wrong = checkUpload(request)
        if (wrong) return done(wrong)
        // A stream of its own: where the service answers early, the request is read to its end all the same.
        const passed = new PassThrough()
        // A sender who leaves takes the connection to the service along.
        body.once('error', error => passed.destroy(error))
        done(null, body.pipe(passed))
      },
    )
    scope.addHook('onRequest', async request => refuseAmbiguousFraming(request.raw))
    await scope.register(httpProxy, {
      upstream: upstream.url,
      prefix: upstream.prefix,
      rewritePrefix: upstream.rewritePrefix,
      proxyPayloads: false,
      disableRequestLogging: true,
      disableCache: true,
      // As many connections as requests: of a fixed number, strangers who send or read slowly leave none to others.
      undici: { connections: null, headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: SILENCE_MS },
      replyOptions: {
        rewriteRequestHeaders: (request, headers) => headersFor(upstream, request, headers),
        // A request that only reads is sent again, once, on a new connection.
        retryDelay: ({ err, req, attempt }) => {
          const lost = CONNECTION_LOST.includes((err as { code?: string } | null)?.code ?? '')
          return lost && attempt === 0 && (req.method === 'GET' || req.method === 'HEAD') ? 1 : null
        },
        rewriteHeaders: headers => {
          dropHopByHop(headers)
          return headers
        },
        onResponse: (request, reply, answer) =>
          void readToEnd(request.raw as IncomingMessage).then(() => {
            reply.removeHeader('connection')
            return reply.send(answer.stream)
          }),
        onError: (reply, { error }) => void reply.send(unavailable('The service behind this console', error)),
      },
    })
  })
}

function checkUpload({ headers }: FastifyRequest): Problem | null {
  const length = headers['content-length']
  if (length === undefined)
    return new Problem('malformed-request', 'Send the length of the file (Content-Length).')
  const most = `${MAX_UPLOAD_BYTES / 1_000_000} MB`
  return Number(length) > MAX_UPLOAD_BYTES
    ? new Problem('body-too-large', `A file can have at most ${most}.`)
    : null
}

/** A browser reads no answer while it still sends: what is left of a file that the service refused is read and dropped. */
async function readToEnd(request: IncomingMessage): Promise<void> {
  if (request.complete) return
  request.unpipe().resume()
  await finished(request).catch(() => undefined)
}

/** The headers sent to the service, without the internal realm's secret: no browser may use it. */
function headersFor(
  { cookies, proxySecret }: Upstream,
  {
    body,
    rawBytes,
    clientAddress,
    clientProtocol,
    clientHost,
  }: Pick<FastifyRequest, 'body' | 'rawBytes' | 'clientAddress' | 'clientProtocol' | 'clientHost'>,
  headers: IncomingHttpHeaders,
): IncomingHttpHeaders {
  dropHopByHop(headers)
  delete headers['x-service-secret']
  if (!(body instanceof PassThrough)) delete headers['content-length']
  if (!cookies) delete headers.cookie
  if (rawBytes?.length) headers['content-length'] = String(rawBytes.length)
  const client = { address: clientAddress, protocol: clientProtocol, host: clientHost }
  setForwarded(headers, client, proxySecret)
  return headers
}
