import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { CLIENT_CERTIFICATE_HEADER, PROXY_SECRET_HEADER } from './client-address.ts'
import { Problem } from './problem.ts'

/** These decide where a request goes, where it ends and how its body is read. */
const FRAMING = ['host', 'content-length', 'transfer-encoding', 'content-type', 'content-encoding']

/** RFC 9110 §7.6.1: for one connection only. `transfer-encoding` is the HTTP library's own business. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
]
const BODYLESS = ['GET', 'HEAD', 'TRACE']
const CLAIMS = /^(forwarded|via|x-real-ip|x-client-ip|true-client-ip|x-forwarded-.*|x-windlass-.*)$/

/**
 * Refuses a request that the server behind us could read differently from us (request smuggling): its end or its
 * host is given twice or in two ways, `Connection` takes such a header away, or a GET, HEAD or TRACE has a body.
 * The connection is closed, since nobody can say where the next request begins. Throws `malformed-request`.
 */
export function refuseAmbiguousFraming(request: IncomingMessage): void {
  const { headers, method } = request
  const length = headers['content-length']
  const coding = headers['transfer-encoding']
  const repeated = ['host', 'content-length', 'transfer-encoding'].find(name => countOf(request, name) > 1)
  const named = connectionOptions(headers).find(name => FRAMING.includes(name))
  if (repeated) throw ambiguous(`The header ${repeated} is given more than once.`)
  if (named) throw ambiguous(`Connection must not name the header ${named}.`)
  if (length !== undefined && coding !== undefined) {
    throw ambiguous('Content-Length and Transfer-Encoding must not be given together.')
  }
  if (length !== undefined && !/^\d+$/.test(length)) throw ambiguous('Content-Length is not a number.')
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw ambiguous('The only Transfer-Encoding accepted is chunked.')
  }
  const hasBody = coding !== undefined || Number(length ?? 0) > 0
  if (hasBody && BODYLESS.includes(method ?? '')) throw ambiguous(`A ${method} must not have a body.`)
}

/**
 * The request target without scheme and host where the host is the one of the Host header (RFC 9112 §3.2.2,
 * `GET http://host/path`); any other target as it is.
 */
export function originForm({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [start = '', host] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? []
  if (host === undefined || host.toLowerCase() !== headers.host?.toLowerCase()) return url
  const rest = url.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Removes what concerned one connection only, also what `Connection` names. */
export function dropHopByHop(headers: IncomingHttpHeaders): void {
  const named = connectionOptions(headers).filter(name => !FRAMING.includes(name))
  for (const name of [...HOP_BY_HOP, ...named]) delete headers[name]
}

/** A stranger's `traceparent`, whose flag does not decide whether we record the trace. */
export const STRANGERS_TRACE_HEADER = 'x-windlass-trace'

export interface Client {
  address: string
  protocol: string
  host: string
  /** SHA-256, in hexadecimal, of the certificate that it proved to have. */
  certificate?: string
}

/**
 * Replaces what a stranger claims about where a request came from by what we know. `proxySecret` proves it to our
 * own services; null for anyone else's.
 */
export function setForwarded(headers: IncomingHttpHeaders, client: Client, proxySecret: string | null): void {
  for (const name of Object.keys(headers)) if (CLAIMS.test(name)) delete headers[name]
  headers['x-forwarded-for'] = client.address
  headers['x-forwarded-proto'] = client.protocol
  headers['x-forwarded-host'] = client.host
  if (proxySecret === null) return
  headers[PROXY_SECRET_HEADER] = proxySecret
  if (client.certificate !== undefined) headers[CLIENT_CERTIFICATE_HEADER] = client.certificate
  if (headers.traceparent === undefined) return
  headers[STRANGERS_TRACE_HEADER] = headers.traceparent
  delete headers.traceparent
}

function connectionOptions({ connection }: IncomingHttpHeaders): string[] {
  return (connection ?? '').split(',').map(name => name.trim().toLowerCase())
}

const countOf = ({ rawHeaders }: IncomingMessage, name: string) =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length

const ambiguous = (detail: string) =>
  new Problem('malformed-request', detail, { headers: { connection: 'close' } })
