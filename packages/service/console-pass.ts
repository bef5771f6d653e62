import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { PROXY_SECRET_HEADER, sameSecret } from './client-address.ts'

/** A service behind a console, at the same origin: `/aggregator/anchors` → `http://localhost:3005/anchors`. */
export interface Upstream {
  /** `/api/` or `/aggregator/`. */
  prefix: string
  url: string
  /** The service's paths do not carry the prefix. */
  strip: boolean
  /** It knows the browser's sessions. Elsewhere cookies are not taken: nobody else's session is anybody's business. */
  sessions: boolean
}

// RFC 9110 §7.6.1: they concern one connection only.
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
const HEADERS_WITHIN_MS = 30_000
// As the services themselves take. They would answer 413 and hang up; sent on, that answer is lost in the noise.
const LARGEST_BODY = 100 * 1024

const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) }

/** Whether a request says that it carries more than any service takes. */
export const isTooLarge = (incoming: IncomingMessage): boolean =>
  Number(incoming.headers['content-length'] ?? 0) > LARGEST_BODY

/**
 * Passes a request on and streams the answer back as it comes, server-sent events included. `onDown` answers
 * when the service could not be reached; an answer that breaks off breaks off at the client too. A kept
 * connection may have died with a restart of the service: what only reads is asked again on a new one.
 */
export function passOn(
  upstream: Upstream,
  proxySecret: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onDown: (error: Error) => void,
): void {
  const base = new URL(upstream.url)
  const secure = base.protocol === 'https:'
  const path = upstream.strip ? incoming.url!.slice(upstream.prefix.length - 1) : incoming.url!
  const onlyReads = /^(GET|HEAD)$/.test(incoming.method ?? '') && !hasBody(incoming)

  const attempt = (agent: HttpAgent | false): void => {
    const request = (secure ? httpsRequest : httpRequest)({
      host: base.hostname,
      port: base.port,
      method: incoming.method,
      path: base.pathname.replace(/\/$/, '') + path,
      headers: headersFor(upstream, incoming, base.host, proxySecret),
      agent,
    })
    const late = setTimeout(() => request.destroy(new Error('no answer in time')), HEADERS_WITHIN_MS)
    const onGone = () => {
      clearTimeout(late)
      request.destroy()
    }
    outgoing.on('close', onGone)
    request.on('response', answer => {
      clearTimeout(late)
      outgoing.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers))
      outgoing.flushHeaders()
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    request.on('error', error => {
      clearTimeout(late)
      outgoing.off('close', onGone)
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy()
      else if (request.reusedSocket && onlyReads) attempt(false)
      else onDown(error)
    })
    if (onlyReads) request.end()
    else incoming.pipe(request)
  }
  attempt(agents[secure ? 'https:' : 'http:'])
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * What reaches the service: who the client is (RFC 7239's older headers) beside our proxy's secret. A browser
 * never speaks in the internal realm, so its secret is dropped.
 */
function headersFor(
  { sessions }: Upstream,
  incoming: IncomingMessage,
  host: string,
  proxySecret: string,
): Record<string, string | string[]> {
  const given = incoming.headers
  const trusted = sameSecret(text(given[PROXY_SECRET_HEADER]), proxySecret)
  const peer = incoming.socket.remoteAddress ?? 'unknown'
  const forwardedFor = text(given['x-forwarded-for'])
  const headers = withoutHops(given)
  delete headers['x-service-secret']
  if (!sessions) delete headers.cookie
  return {
    ...headers,
    host,
    [PROXY_SECRET_HEADER]: proxySecret,
    'x-forwarded-for':
      trusted && forwardedFor ? forwardedFor : [forwardedFor, peer].filter(Boolean).join(', '),
    'x-forwarded-proto': (trusted && text(given['x-forwarded-proto'])) || 'http',
    'x-forwarded-host': (trusted && text(given['x-forwarded-host'])) || given.host || '',
  }
}

function withoutHops(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const named = (text(headers.connection) ?? '').toLowerCase().split(/\s*,\s*/)
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.includes(name) && !named.includes(name)) kept[name] = value
  }
  return kept
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
