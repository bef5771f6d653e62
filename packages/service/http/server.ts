import cookie from '@fastify/cookie'
import type { Endpoint, EndpointShape } from '@windlass/contracts/endpoint.ts'
import { getHealth, getLiveness } from '@windlass/contracts/health.ts'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify'
import { Registry } from 'prom-client'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { bind, type Listener } from '../process/bind.ts'
import { readBodies } from './bodies.ts'
import { readClient } from './client-address.ts'
import { allowAnyOrigin } from './cors.ts'
import { refuseDuplicateCookies, refuseForeignOrigin, type ConsoleOrigins } from './cookie-rules.ts'
import { publishDocuments, type Documents } from './documents.ts'
import { mount, type Before, type Handler } from './endpoint-route.ts'
import { originForm } from './forwarding.ts'
import { healthOf, type Checks } from './health.ts'
import type { Idempotency } from './idempotency.ts'
import { CLOCK_HEADER } from '../observe/clocks.ts'
import { createLogger } from '../observe/logger.ts'
import { markOf } from './installation.ts'
import { measure } from '../observe/metrics.ts'
import { unservedProblems } from './not-found.ts'
import { Problem } from './problem.ts'
import { rendererOf, type RenderProblem } from './render-problem.ts'
import type { Rate } from './rates.ts'
import type { Guards } from './realms.ts'
import { keepRequestContext, requestIdOf } from '../observe/request-context.ts'
import { secureHeaders } from './secure-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export interface ServerOptions {
  name: string
  version?: string
  /** For `GET /health`; each throws when its dependency does not work. */
  checks?: Checks
  /** A guard for each realm this service serves; mounting an endpoint of another realm throws at start. */
  guards?: Partial<Guards>
  /** Counts requests to endpoints with the limit `shared`; mounting one without it throws at start. */
  clientRate?(): Rate
  /** The consoles that may write with a session cookie; absent: none. */
  origins?: ConsoleOrigins
  /** False for a server that passes requests on: the service behind it checks session cookies and their origin. */
  cookieRules?: boolean
  /**
   * Given every request before anything is read of it; answers it itself where it returns true. Closing the server
   * waits for these answers, too.
   */
  passOn?(request: IncomingMessage, response: ServerResponse): boolean
  /** The secret by which our own proxy proves itself. */
  proxySecret?: string
  /** Kept answers for `Idempotency-Key`. */
  idempotency?: Idempotency
  /** `any`: readable by pages of every origin, without credentials (aggregator, anchors). */
  cors?: 'any' | RegExp
  /** How a problem is written; RFC 9457 by default (the SEPs have a form of their own). */
  renderProblem?: RenderProblem
  logger?: FastifyBaseLogger
  /** The document that `/openapi.json` and `/docs` show; absent: none. False: no pages of problems either. */
  documents?: Documents | false
  /** A sandbox says so on the pages of its documents. */
  sandbox?: boolean
  /** False: nothing is read of the process, which ends with the process only: for a server that closes before. */
  metrics?: false
}

export interface Server {
  /** For routes that a contract cannot describe (static files, multipart). Prefer {@link Server.on}. */
  app: FastifyInstance
  on: On
  /** What it serves, as `GET /path`. */
  routes: readonly string[]
  /** Binds `host` (`localhost`: both loopback addresses) and returns the port bound. */
  listen(port: number, host?: string): Promise<number>
  close(): Promise<void>
}

/** `on(endpoint).serve(handler)`: the handler's input and answer are typed by the endpoint. */
export type On = <S extends EndpointShape>(
  endpoint: Endpoint<S>,
) => { serve(handler: Handler<S>, before?: Before<S>): void }

/** What machines ask every few seconds is not logged: it would be all that is in an idle server's log. */
const POLLED = /^\/(health|metrics|admin\/summary)\b/
const REQUEST_TIMEOUT_MS = 30_000
const FINISH_WITHIN_MS = 3_000

/** A service's HTTP server with everything that services share. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const app = Fastify({
    loggerInstance: options.logger ?? createLogger(options.name),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }) => requestIdOf(headers),
    bodyLimit: 100 * 1024,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    rewriteUrl: originForm,
    forceCloseConnections: true,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => render(error, request, reply),
  })
  const routes: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map(each => `${each} ${url}`))
  })
  const render = rendererOf(options.renderProblem)
  app.setErrorHandler(render)
  const unserved = unservedProblems(app)
  app.setNotFoundHandler((request, reply) => render(unserved(request), request, reply))
  await app.register(cookie)
  keepRequestContext(app, { atEdge: options.cookieRules === false })
  readBodies(app)
  // Before any hook that may answer.
  finishBeforeClosing(app)
  addHooks(app, options)
  if (options.documents !== false) publishDocuments(app, options.documents, markOf(options.sandbox))
  if (options.metrics === false) app.decorate('metrics', new Registry())
  else measure(app, options.name)

  const on: On = endpoint => ({
    serve: (handler, before) => mount(app, endpoint, handler, { ...options, before }),
  })
  on(getHealth).serve(healthOf(options))
  on(getLiveness).serve(() => ({ status: 'ok' as const }))
  let listening: { close(): Promise<void> } | undefined
  return {
    app,
    on,
    routes,
    listen: async (port, host = 'localhost') => {
      await app.ready()
      const bound = await bind(port, host, () => listenerOf(app))
      listening = bound
      return bound.port
    },
    close: async () => void (await Promise.all([listening?.close(), app.close()])),
  }
}

/** Not Fastify's own, which answers 503 to requests that come while another process takes over. */
function listenerOf(app: FastifyInstance): Listener {
  const { requestTimeout, keepAliveTimeout } = app.server
  const server = createHttpServer({ requestTimeout, keepAliveTimeout }, app.routing)
  server.on('clientError', refuseUnreadable)
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      void app.close().finally(() => server.closeAllConnections())
    })
  return { server, close }
}

/** Lets requests under way end before their connections are closed; open event streams are not waited for. */
function finishBeforeClosing(app: FastifyInstance): void {
  // Not a Set: when V8 replaces its table, the one before refers to it. One that became an old object keeps all that
  // follow, and the replies in them, until old objects are collected (ADR 0010).
  const underWay: (FastifyReply | null)[] = []
  const free: number[] = []
  const end = (reply: FastifyReply): void => {
    if (reply.place < 0) return
    underWay[reply.place] = null
    free.push(reply.place)
    reply.place = -1
  }
  app.decorateReply('place', -1)
  app.decorateReply('passedOn', false)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.place = free.pop() ?? underWay.length
    underWay[reply.place] = reply
    // The hook `onResponse` is not called where the client leaves. A handler may still work for it then.
    reply.raw.once('close', () => {
      if (reply.sent || reply.raw.headersSent) end(reply)
    })
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.raw.closed) end(reply)
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    const waiting = () => underWay.some(reply => reply !== null && (reply.passedOn || !reply.sent))
    for (let waited = 0; waited < FINISH_WITHIN_MS && waiting(); waited += 20) await setTimeout(20)
  })
}

declare module 'fastify' {
  interface FastifyReply {
    /** Its place among those under way; -1: it is not one of them. */
    place: number
    /** `passOn` answers it, until its response closes. What else Fastify does not answer is an event stream. */
    passedOn: boolean
  }
}

function addHooks(app: FastifyInstance, options: ServerOptions): void {
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('clientProtocol', '')
  app.decorateRequest('clientHost', '')
  // Answers that may be cached set this themselves.
  const headers = { ...secureHeaders(), 'cache-control': 'no-store' }
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (request.headers[CLOCK_HEADER] !== undefined) reply.header(CLOCK_HEADER, String(Date.now()))
    if (options.passOn?.(request.raw, reply.raw)) {
      reply.passedOn = true
      return void reply.hijack()
    }
    readClient(request, options.proxySecret)
    if (!request.url.startsWith('/')) {
      throw new Problem(
        'malformed-request',
        'The request target must be a path of the host in the Host header.',
      )
    }
    if (options.cookieRules === false) return
    refuseDuplicateCookies(request)
    refuseForeignOrigin(request, options.origins ?? {})
  })
  if (options.cors) allowAnyOrigin(app, options.cors === 'any' ? undefined : options.cors)
  app.addHook('onResponse', async (request, reply) => {
    const level = POLLED.test(request.url) ? 'debug' : 'info'
    const line = {
      method: request.method,
      path: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
    }
    request.log[level]({ ...line, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
}
