/// <reference path="./undici-parts.d.ts" />
import { pipeline, type Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import request from 'undici/lib/api/api-request.js'
import undici from 'undici/lib/global.js'

/** An answer whose body is still to be read, or cancelled. */
export interface OpenAnswer {
  status: number
  /** Whether the status is a success. */
  ok: boolean
  /** Names are lower-case. */
  headers: { get(name: string): string | null }
  /** As it comes, decompressed. */
  body: AsyncIterable<Buffer>
  cancel(): void
}

interface OpenRequest {
  headers?: Record<string, string>
  /** JSON, or a form, to send by POST. */
  body?: string | URLSearchParams | undefined
  signal: AbortSignal
  /** How many are followed. Default: 20, as by `fetch`. */
  redirects?: number
}

const REDIRECTS = [301, 302, 303, 307, 308]
const SEE_OTHER = 303
const FORM = 'application/x-www-form-urlencoded;charset=UTF-8'

/**
 * Asks as `fetch` does, which follows redirects and reads gzip. Node's own brings an undici of its own, 6.5 MB in each of an
 * anchor's servers.
 *
 * @throws what the connection throws, or the reason of the signal
 */
export async function openAnswer(url: string, given: OpenRequest): Promise<OpenAnswer> {
  const { body: sent, signal, redirects = 20 } = given
  signal.throwIfAborted()
  const { origin, pathname, search } = new URL(url)
  const type = sent !== undefined && { 'content-type': typeof sent === 'string' ? 'application/json' : FORM }
  const asked = request.call(undici.getGlobalDispatcher(), {
    origin,
    path: pathname + search,
    method: sent === undefined ? 'GET' : 'POST',
    headers: { 'accept-encoding': 'gzip', 'user-agent': 'node', ...type, ...given.headers },
    body: sent?.toString() ?? null,
    signal,
  })
  const answer = await orAborted(asked, signal)
  const status = answer.statusCode
  const get = (name: string): string | null => answer.headers[name]?.toString() ?? null
  const body = get('content-encoding')?.toLowerCase() === 'gzip' ? unzipped(answer.body) : answer.body
  // It may fail before anyone reads it, which would end the process. A reader gets the error all the same.
  body.on('error', () => undefined)
  const cancel = (): void => void body.destroy()
  const location = REDIRECTS.includes(status) ? get('location') : null
  if (location === null) return { status, ok: status >= 200 && status < 300, headers: { get }, body, cancel }
  cancel()
  if (redirects === 0) throw new Error(`${origin} sends on to another address`)
  const next = { ...given, redirects: redirects - 1, ...(status <= SEE_OTHER && { body: undefined }) }
  return openAnswer(new URL(location, url).href, next)
}

/** The request itself looks at its signal once it has a connection, for which it waits ten seconds. */
async function orAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort)
  return Promise.race([asked, promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** An answer without a body may be called gzip, too: what ends early is as long as what came of it. */
const unzipped = (body: Readable): Readable =>
  pipeline(body, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => undefined)
