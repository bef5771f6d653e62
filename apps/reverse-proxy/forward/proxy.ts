import type { Listener } from '@windlass/service/process/bind.ts'
import { STAND_IN } from '@windlass/contracts/internal/proxy-routes.ts'
import { hostSecret } from '@windlass/service/http/client-address.ts'
import {
  dropHopByHop,
  originForm,
  refuseAmbiguousFraming,
  setForwarded,
} from '@windlass/service/http/forwarding.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { refuseUnreadable } from '@windlass/service/http/unreadable.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createProxyServer } from 'httpxy'
import http, { type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RouteTable } from '../routes/route-table.ts'
import type { Activity } from './activity.ts'
import { countedBody, isTooLong } from './body-limit.ts'
import { chooseDestination, type Destination } from './choose.ts'
import { clientOf, type Front } from './client.ts'
import { refuse, refuseUpgrade } from './refuse.ts'
import { createWaits, hasEnded, isAway, lookUp, RETRY_MS, type Wait } from './waiting-agent.ts'

interface ProxyOptions {
  table: RouteTable
  proxySecret: string
  front: Front
  logger: FastifyBaseLogger
  activity: Activity
  /** Called with the status of every answer. */
  onAnswer?: (status: number) => void
  /** Milliseconds a server behind us may be silent; by default 60 s (event streams send a comment each 15 s). */
  silence?: number
  /** Milliseconds a request for an anchor that sleeps waits for the control plane; by default 15 s. */
  standInWaitMs?: number
}

/** A request that is sent to a server. */
interface Sending {
  send(): void
  repeats: number
  /** How to wait for an anchor that sleeps: only the control plane, which may be starting again, can wake it. */
  wait: Wait | null
}

const SILENCE_MS = 60_000
const STAND_IN_WAIT_MS = 15_000
/** A request that itself ends a server ends three at most. */
const MAX_REPEATS = 2
const UPGRADE_WITHIN_MS = 10_000
/** RFC 6797, for a host that was reached over TLS; its subdomains may be someone else's. */
const HSTS = 'max-age=31536000'

export interface Proxy {
  /** Another HTTP server in front of the proxy, for another address. */
  listener(): Listener
  close(): void
}

export function createProxy(options: ProxyOptions): Proxy {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, lookup: lookUp }),
    'https:': new https.Agent({ keepAlive: true, lookup: lookUp }),
  }
  const createWait = createWaits(options.standInWaitMs ?? STAND_IN_WAIT_MS)
  const proxy = createProxyServer({ proxyTimeout: options.silence ?? SILENCE_MS })
  const upstream = new WeakMap<IncomingMessage, ClientRequest>()
  const wantsClose = new WeakSet<IncomingMessage>()
  const late = new WeakSet<IncomingMessage>()
  const sent = new WeakMap<IncomingMessage, Sending>()
  const upgraded = new Set<Duplex>()

  proxy.on('proxyReq', (outgoing, request) => {
    upstream.set(request, outgoing)
    outgoing.once('timeout', () => late.add(request))
  })
  proxy.on('proxyRes', (incoming, request, response) => {
    dropHopByHop(incoming.headers)
    incoming.headers.connection = wantsClose.has(request) ? 'close' : 'keep-alive'
    // The head of an event stream goes out before its first event.
    if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
      queueMicrotask(() => response.headersSent || response.flushHeaders())
    }
  })
  proxy.on('error', (error, request, response) => {
    if (!request || !response) return
    options.logger.warn({ err: error, host: request.headers.host }, 'a server behind the proxy failed')
    if (response instanceof ServerResponse && repeat(request, response, error)) return
    const problem = late.has(request)
      ? silent()
      : sent.get(request)?.wait && isAway(error)
        ? held()
        : unreachable()
    if (response instanceof ServerResponse) refuse(request, response, problem)
    else refuseUpgrade(request, response, problem)
  })

  /**
   * Sends a read again if the server ended before it answered: a copy that another one replaces may end while it has the
   * connection (RFC 9110, 9.2.2). Returns whether it did.
   */
  const repeat = (request: IncomingMessage, response: ServerResponse, error: Error): boolean => {
    const sending = sent.get(request)
    if (!sending || !isRead(request) || !hasEnded(error) || late.has(request)) return false
    if (response.destroyed || response.headersSent) return false
    const { wait, send } = sending
    // Where it waits, the connection is used for this request alone.
    if (wait && ((upstream.get(request)?.socket?.bytesRead ?? 0) > 0 || !wait.hasTime())) return false
    if (sending.repeats++ >= MAX_REPEATS) return false
    // One that is just ending may still accept connections.
    setTimeout(() => response.destroyed || send(), RETRY_MS)
    return true
  }

  const prepare = (request: IncomingMessage, upgrade: boolean): Destination => {
    refuseAmbiguousFraming(request)
    request.url = originForm(request)
    const destination = chooseDestination(request, options.table)
    if (isTooLong(request)) throw tooLong()
    const client = clientOf(request, options.front)
    if (/\bclose\b/i.test(request.headers.connection ?? '')) wantsClose.add(request)
    dropHopByHop(request.headers)
    if (upgrade) Object.assign(request.headers, { connection: 'Upgrade', upgrade: 'websocket' })
    const { proxySecret } = options
    const proof = destination.platform ? proxySecret : hostSecret(proxySecret, destination.host)
    setForwarded(request.headers, client, proof)
    return destination
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const began = performance.now()
    response.once('finish', () => {
      const { statusCode: status } = response
      const { host } = request.headers
      const ms = Math.round(performance.now() - began)
      options.logger.debug({ host, method: request.method, status, ms }, 'answered')
      options.onAnswer?.(status)
    })
    // On our own refusals too; a server behind us may say something else.
    if (clientOf(request, options.front).protocol === 'https')
      response.setHeader('strict-transport-security', HSTS)
    try {
      const { target, host } = prepare(request, false)
      response.once('close', options.activity.begin(host))
      const buffer = countedBody(request, () => {
        upstream.get(request)?.destroy()
        refuse(request, response, tooLong())
      })
      const { protocol, pathname } = new URL(target)
      const wait = pathname.startsWith(STAND_IN) ? createWait() : null
      const agent = wait?.agent ?? agents[protocol === 'https:' ? 'https:' : 'http:']
      // Failures arrive by the 'error' event; a client that left needs no answer.
      const send = () =>
        void proxy
          .web(request, response, { target, agent, ...(buffer ? { buffer } : {}) })
          .catch(() => undefined)
      sent.set(request, { send, wait, repeats: 0 })
      send()
    } catch (error) {
      refuse(request, response, asProblem(error, options.logger))
    }
  }

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    socket.on('error', () => socket.destroy())
    try {
      const { target, host } = prepare(request, true)
      socket.once('close', options.activity.begin(host))
      const given = { target, upgradeTimeout: UPGRADE_WITHIN_MS }
      proxy.ws(request, socket as Socket, given, head).catch(() => undefined)
    } catch (error) {
      refuseUpgrade(request, socket, asProblem(error, options.logger))
    }
  }

  return {
    listener: () => {
      const server = http.createServer(limits, serve).on('upgrade', upgrade)
      server.on('clientError', refuseUnreadable)
      server.timeout = 120_000
      server.maxConnections = 10_000
      return {
        server,
        close: () =>
          new Promise(resolve => {
            server.close(() => resolve())
            server.closeAllConnections()
            for (const socket of upgraded) socket.destroy()
          }),
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

// Slow senders are cut off; other upgrades than WebSocket (h2c) are plain requests.
const limits: http.ServerOptions = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  insecureHTTPParser: false,
  shouldUpgradeCallback: request =>
    request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket',
}

/** A request that changes nothing and has no body. */
const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'
const unreachable = () =>
  new Problem('upstream-unreachable', 'The server behind this address is unreachable. Try again shortly.', {
    headers: { 'retry-after': '5' },
  })
const silent = () =>
  new Problem('upstream-timeout', 'The server behind this address took too long. Try again shortly.', {
    headers: { 'retry-after': '5' },
  })
const held = () =>
  new Problem('dependency-unavailable', 'The anchor does not answer yet. Try again shortly.', {
    headers: { 'retry-after': '5' },
  })
const tooLong = () => new Problem('body-too-large', 'The request body is larger than 25 MB.')

function asProblem(error: unknown, logger: FastifyBaseLogger): Problem {
  if (error instanceof Problem) return error
  logger.error({ err: error }, 'proxy failed')
  return new Problem('internal-error', 'Something went wrong on our side.')
}
