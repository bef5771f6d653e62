import { request as requestOnce, Agent, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAnswer, type OpenAnswer } from '@windlass/service/outbound/open-answer.ts'
import { readBounded } from './bounded-body.ts'
import { countConnection, proveNetwork, type LedgerSource } from './network.ts'

/** No answer, or one that is no success. */
export class HorizonError extends Error {
  /** 0: no answer. */
  readonly status: number
  /** Milliseconds after which Horizon takes requests again, where it said so. */
  readonly retryAfterMs: number | null

  constructor(status: number, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause })
    this.status = status
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Horizon answers, and is of another network than ours: whatever it says is not about our ledger. */
export class OtherNetworkError extends HorizonError {
  readonly expected: string
  readonly found: string | undefined

  constructor(url: string, expected: string, found: string | undefined) {
    super(0, `Horizon at ${new URL(url).host} is of the network "${found ?? 'unknown'}", not "${expected}"`)
    this.expected = expected
    this.found = found
  }
}

/**
 * How urgent a request is, for a gateway that shares Horizon's rate limit (RFC 9218 `Priority`): `money` moves funds and
 * must not be answered from memory, `person` is someone who waits, `routine` comes back.
 */
export type Urgency = 'money' | 'person' | 'routine'
const PRIORITY: Record<Urgency, string> = { money: 'u=0', person: 'u=3', routine: 'u=7' }

interface HorizonRequest {
  /** Default: `person`. */
  urgency?: Urgency
  /** Default: 10,000. */
  timeoutMs?: number
  /** A form to send by POST. */
  form?: URLSearchParams
  /** Statuses that are answers and not errors, besides success. */
  accept?: readonly number[]
}

/** An answer whose body is read, or cancelled. */
interface HorizonAnswer {
  status: number
  /** Whether the status is a success. */
  ok: boolean
  headers: OpenAnswer['headers']
  text(): Promise<string>
  cancel(): void
}

const TIMEOUT_MS = 10_000
const LIMITED_MS = 5_000
const MAX_PAUSE_MS = 60 * 60_000

/** Until when (monotonic ms: a clock that is set must not move it) Horizon takes no request that moves money, by origin. It holds for the whole process. */
const closedUntil = new Map<string, number>()

const millisecondsClosed = (url: string): number =>
  (closedUntil.get(new URL(url).origin) ?? 0) - performance.now()

/**
 * Asks Horizon: every request of a service goes through here. An answer counts once the root of the same Horizon has
 * named our network since the last connection was opened. While Horizon refuses for its rate limit (429,
 * `Retry-After`), requests that move money wait as far as their time allows, and none is sent; others get the refusal,
 * or what a gateway remembers.
 *
 * @param path begins with `/`
 * @throws {HorizonError} {@link OtherNetworkError} where it is of another network
 */
export async function askHorizon(
  source: LedgerSource,
  path: string,
  request: HorizonRequest = {},
): Promise<HorizonAnswer> {
  const { urgency = 'person', form, accept = [] } = request
  const url = `${source.url}${path}`
  if (form) await requireNetwork(source, urgency)
  const answer = await send(url, request)
  try {
    await requireNetwork(source, urgency)
  } catch (error) {
    answer.cancel()
    throw error
  }
  if (answer.ok || accept.includes(answer.status)) return answer
  answer.cancel()
  throw refusal(url, answer, urgency)
}

/** Throws {@link OtherNetworkError} where the root names another network, else {@link HorizonError} without its answer. */
export function requireNetwork(source: LedgerSource, urgency: Urgency): Promise<void> {
  const url = `${source.url}/`
  const readPassphrase = async (): Promise<string | undefined> => {
    const answer = await send(url, { urgency })
    if (!answer.ok) {
      answer.cancel()
      throw refusal(url, answer, urgency)
    }
    const root = await parsed<{ network_passphrase?: string } | null>(answer)
    return root?.network_passphrase
  }
  return proveNetwork(
    source,
    readPassphrase,
    found => new OtherNetworkError(source.url, source.passphrase, found),
  )
}

/** On this machine, or a part of Windlass by its name of containers. What is farther may be behind a proxy, which `openAnswer` knows. */
const NEAR = /^http:\/\/(127\.[\d.]+|\[::1\]|([^/:]+\.)?localhost|[^./:]+)[:/]/i

async function send(url: string, request: HorizonRequest): Promise<HorizonAnswer> {
  const { urgency = 'person', timeoutMs = TIMEOUT_MS, form } = request
  const deadline = performance.now() + timeoutMs
  if (urgency === 'money') await waitUntilOpen(url, deadline)
  const signal = AbortSignal.timeout(Math.max(1, Math.round(deadline - performance.now())))
  const headers = { accept: 'application/json', priority: PRIORITY[urgency] }
  const plain = urgency === 'routine' && !form && NEAR.test(url)
  const asked = plain
    ? askPlainly(url, headers, signal)
    : openAnswer(url, { headers, signal, body: form }).then(answerOf)
  return asked.catch((error: unknown) => {
    countConnection(new URL(url).origin)
    throw noAnswer(error)
  })
}

const noAnswer = (error: unknown): HorizonError =>
  new HorizonError(0, `Horizon does not answer: ${(error as Error).message}`, { cause: error })

async function parsed<T>(answer: HorizonAnswer): Promise<T> {
  try {
    return JSON.parse(await answer.text()) as T
  } catch (error) {
    throw noAnswer(error)
  }
}

const answerOf = ({ body, ...answer }: OpenAnswer): HorizonAnswer => ({
  ...answer,
  text: async () => (await readBounded(body)).toString(),
})

const agent = new Agent({ keepAlive: true })

/**
 * A request without a trace. What an idle anchor asks every few seconds takes a third of the processor time that it takes
 * by `fetch`, for which these requests are too rare to stay compiled.
 */
async function askPlainly(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<HorizonAnswer> {
  const response = await openPlainly(url, headers, signal)
  const { statusCode: status = 0, headers: given } = response
  const body = await readBounded(response as AsyncIterable<Buffer>)
  if (status >= 300 && status < 400) return answerOf(await openAnswer(url, { headers, signal }))
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: name => given[name]?.toString() ?? null },
    text: async () => body.toString(),
    cancel: () => undefined,
  }
}

function openPlainly(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let answered = false
  const request = requestOnce(url, { headers, signal, agent })
  request.on('socket', () => {
    if (!request.reusedSocket) countConnection(new URL(url).origin)
  })
  request.on('response', response => {
    answered = true
    resolve(response)
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    // The other side may close a connection in the moment in which it is used again.
    const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
    if (request.reusedSocket && !answered && closed) resolve(openPlainly(url, headers, signal))
    else reject(error)
  })
  request.end()
  return promise
}

function refusal(
  url: string,
  { status, headers }: Pick<HorizonAnswer, 'status' | 'headers'>,
  urgency: Urgency,
): HorizonError {
  if (status !== 429) return new HorizonError(status, `Horizon answered ${status}`)
  const asked = millisecondsOf(headers.get('retry-after')) ?? millisecondsOf(headers.get('x-ratelimit-reset'))
  const retryAfterMs = Math.min(asked ?? LIMITED_MS, MAX_PAUSE_MS)
  if (urgency === 'money') closedUntil.set(new URL(url).origin, performance.now() + retryAfterMs)
  return new HorizonError(status, 'Horizon limits the rate of requests', { retryAfterMs })
}

/** One resource of Horizon, read whole; null where there is none, or none any more (410). Throws as {@link askHorizon}. */
export async function readHorizon<T>(
  source: LedgerSource,
  path: string,
  request: HorizonRequest = {},
): Promise<T | null> {
  return (await readWithHeaders<T>(source, path, request)).body
}

/** As {@link readHorizon}, with the headers of the answer. */
export async function readWithHeaders<T>(
  source: LedgerSource,
  path: string,
  request: HorizonRequest = {},
): Promise<{ body: T | null; headers: HorizonAnswer['headers'] }> {
  const answer = await askHorizon(source, path, { ...request, accept: [404, 410] })
  if (answer.ok) return { body: await parsed<T>(answer), headers: answer.headers }
  answer.cancel()
  return { body: null, headers: answer.headers }
}

async function waitUntilOpen(url: string, deadline: number): Promise<void> {
  const wait = millisecondsClosed(url)
  if (wait <= 0) return
  if (performance.now() + wait >= deadline) {
    throw new HorizonError(429, 'Horizon limits the rate of requests', { retryAfterMs: wait })
  }
  await sleep(wait)
}

/** A header of seconds, or an HTTP date, in milliseconds from now; null where there is neither. */
function millisecondsOf(value: string | null): number | null {
  if (value === null || value.trim() === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

export interface Stream {
  /** Whether it is connected. */
  readonly live: boolean
  stop(): void
}

/** A piece of a stream that only keeps it open. */
const isComment = (chunk: Uint8Array): boolean => /^(:[^\n]*\n+)+$/.test(Buffer.from(chunk).toString())

const STREAM_PAUSE_MS = 1_000
const MAX_STREAM_PAUSE_MS = 60_000

/**
 * Follows a stream of Horizon (server-sent events): calls `onConnect` each time it is connected, and `onEvent` with each
 * piece of it that is more than a comment. Connects again after pauses that double with each failure, up to a minute, and not before a rate limit
 * ends.
 */
export function followHorizon(
  source: LedgerSource,
  path: string,
  { onConnect, onEvent }: { onConnect(): void; onEvent(): void },
): Stream {
  const url = `${source.url}${path}`
  const stopping = new AbortController()
  const { signal } = stopping
  let [failures, live] = [0, false]
  const follow = async (): Promise<void> => {
    const answer = await openAnswer(url, { headers: { accept: 'text/event-stream' }, signal })
    if (!answer.ok) {
      answer.cancel()
      throw refusal(url, answer, 'person')
    }
    await requireNetwork(source, 'person').catch((error: unknown) => {
      answer.cancel()
      throw error
    })
    live = true
    onConnect()
    for await (const chunk of answer.body) {
      failures = 0
      if (!isComment(chunk)) onEvent()
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const error = await follow().catch((error: unknown) => error)
      live = false
      if (error) failures++
      const backoff = Math.min(MAX_STREAM_PAUSE_MS, STREAM_PAUSE_MS * 2 ** Math.min(failures, 6))
      const asked = error instanceof HorizonError ? (error.retryAfterMs ?? 0) : 0
      await sleep(Math.max(backoff, asked), undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  void run()
  return {
    get live() {
      return live
    },
    stop: () => stopping.abort(),
  }
}
