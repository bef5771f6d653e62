import type { FastifyRequest } from 'fastify'
import { createHash, createHmac } from 'node:crypto'
import type { Clock } from '../work/clock.ts'
import { sameSecret } from './client-address.ts'

/** Beside the summary secret it proves that the platform itself asks this. The proxy strips it from what comes in. */
export const PLATFORM_PROOF_HEADER = 'x-windlass-platform'

/** With the proof: what the person reads for whom the platform asks, as scopes. Without it, all that people read. */
export const READER_HEADER = 'x-windlass-reader'

/** How far a proof's time may be from its reader's: clocks that differ, and a request that waits for a connection. */
const WINDOW_MS = 60_000

/** The platform has no more of an anchor's service secret. */
export const platformKey = (serviceSecret: string): Buffer =>
  createHash('sha256').update(serviceSecret).digest()

/** What a proof is about. `path` has the query. */
interface ProvenRequest {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string | Uint8Array
}

/**
 * Proves one request of the platform to an anchor's business server (ADR 141). The aggregator has the summary secret too,
 * and may only read: it has not the hash of the anchor's service secret, by which this is made. Who hears a proof can
 * repeat that request for a minute, which does no act twice.
 */
export function platformProof(key: Buffer, request: ProvenRequest, now: Date): string {
  const [time, body] = [String(now.getTime()), hashOf(request.body)]
  return [time, body, macOf(key, { ...request, time, body })].join('.')
}

/** Whether the request's head is proven. Its body is read after this, and refused where it is another one. */
export function isProvenPlatform(key: Buffer, request: FastifyRequest, now: Date): boolean {
  const [time = '', body = '', mac, ...more] = String(request.headers[PLATFORM_PROOF_HEADER] ?? '').split('.')
  const { method, url: path, headers } = request
  const age = Math.abs(now.getTime() - Number(time))
  if (more.length > 0 || !sameSecret(mac, macOf(key, { method, path, headers, time, body }))) return false
  if (!(age <= WINDOW_MS)) return false
  request.provenBody = body
  return true
}

/** A fetch that proves each of its requests. */
export function provingFetch(
  key: Buffer,
  clock: Clock,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const { pathname, search } = new URL(url)
    const headers = Object.fromEntries(new Headers(init.headers))
    const request = { method: init.method ?? 'GET', path: pathname + search, headers }
    const proof = platformProof(key, { ...request, body: await bytesOf(init.body) }, clock.now())
    return send(url, { ...init, headers: { ...headers, [PLATFORM_PROOF_HEADER]: proof } })
  }
}

export const hashOf = (body: string | Uint8Array): string =>
  createHash('sha256').update(body).digest('base64url')

function macOf(
  key: Buffer,
  { method, path, headers, time, body }: Omit<ProvenRequest, 'body'> & { time: string; body: string },
): string {
  const said = [READER_HEADER, 'idempotency-key'].map(name => headers[name] ?? null)
  const text = JSON.stringify(['windlass platform', time, method, path, body, ...said])
  return createHmac('sha256', key).update(text).digest('base64url')
}

async function bytesOf(body: RequestInit['body']): Promise<string | Uint8Array> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return new Uint8Array(await new Response(body ?? null).arrayBuffer())
}
