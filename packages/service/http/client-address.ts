import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/** The header by which our reverse proxy proves itself; it strips it from what comes in. */
export const PROXY_SECRET_HEADER = 'x-windlass-proxy'

/** The header by which our proxy names the certificate of the client. */
export const CLIENT_CERTIFICATE_HEADER = 'x-windlass-client-certificate'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address: the peer's, or what our own proxy forwarded. */
    clientAddress: string
    /** SHA-256, in hexadecimal, of the certificate that the client proved to have; null: none that our proxy says. */
    clientCertificate: string | null
    /** `https` where the client reached our proxy over TLS. */
    clientProtocol: string
    /** The host the client asked for. */
    clientHost: string
  }
}

/**
 * What proves our proxy to the servers of one host: a stranger's host, such as an anchor's, gets nothing by which it
 * could pass for the proxy elsewhere.
 */
export const hostSecret = (proxySecret: string, host: string): string =>
  createHmac('sha256', proxySecret).update(`host:${host}`).digest('base64url')

/** Forwarded headers count only beside the proxy's secret. */
export function readClient(request: FastifyRequest, proxySecret: string | undefined): void {
  const trusted =
    proxySecret !== undefined && sameSecret(first(request.headers[PROXY_SECRET_HEADER]), proxySecret)
  const forwarded = trusted ? first(request.headers['x-forwarded-for'])?.split(',').at(-1)?.trim() : undefined
  request.clientAddress = plainAddress(forwarded || (request.socket.remoteAddress ?? 'unknown'))
  request.clientCertificate = (trusted && first(request.headers[CLIENT_CERTIFICATE_HEADER])) || null
  request.clientProtocol = (trusted && first(request.headers['x-forwarded-proto'])) || request.protocol
  request.clientHost = (trusted && first(request.headers['x-forwarded-host'])) || request.headers.host || ''
}

/** `::ffff:127.0.0.1` is how a dual-stack socket writes 127.0.0.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * Whom to count: an IPv4 address, or the /64 network of an IPv6 one, all of which belongs to one subscriber. Anything
 * else stays as it is.
 */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? []
  const left = head.split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - left.length - tail.split(':').filter(Boolean).length
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')].slice(0, 4)
  return `${groups.map(group => parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Constant-time comparison of two secrets of any length. */
export function sameSecret(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
