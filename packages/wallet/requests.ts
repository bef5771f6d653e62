import { RefusedError, UnreachableError, WalletError } from './errors.ts'

/** What every call takes. An abort ends requests and pauses with the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined
}

export interface RequestSettings {
  /** The platform's own by default. */
  fetch?: typeof fetch
  /** How often a failed request is repeated; 4 by default. */
  retries?: number
  /** Milliseconds that a server has for an answer; 15,000 by default. */
  timeoutMs?: number
  /** Milliseconds before the first repetition; each further pause is up to twice as long. 250 by default. */
  backoffMs?: number
}

interface RequestInput extends CallOptions {
  method?: 'GET' | 'POST' | 'PUT'
  query?: Readonly<Record<string, string | undefined>>
  json?: unknown
  headers?: Readonly<Record<string, string>>
  /** A repetition has no second effect. By default true of GET alone. */
  repeatable?: boolean
}

/** Returns the JSON of a success. Throws {@link RefusedError} or {@link UnreachableError}. */
export type Request = <T>(url: string, input?: RequestInput) => Promise<{ body: T; headers: Headers }>

const LONGEST_PAUSE_MS = 60_000

/** A caller that repeats what failed for now: after `Retry-After` where the server names it, else with growing pauses. */
export function createRequest(settings: RequestSettings): Request {
  const { retries = 4, timeoutMs = 15_000, backoffMs = 250 } = settings
  const fetcher = settings.fetch ?? ((url, init) => fetch(url, init))

  async function attempt(url: string, input: RequestInput): Promise<Response> {
    const controller = new AbortController()
    const cancel = () => controller.abort(input.signal?.reason)
    if (input.signal?.aborted) cancel()
    input.signal?.addEventListener('abort', cancel)
    const timer = setTimeout(() => controller.abort(new Error('timeout')), timeoutMs)
    try {
      const answer = await fetcher(url, { ...initOf(input), signal: controller.signal })
      // The timeout counts for the body too.
      const text = await answer.text()
      const bodyless = [204, 205, 304].includes(answer.status)
      return new Response(bodyless ? null : text, { status: answer.status, headers: answer.headers })
    } catch (error) {
      input.signal?.throwIfAborted()
      throw new UnreachableError(new URL(url).host, error)
    } finally {
      clearTimeout(timer)
      input.signal?.removeEventListener('abort', cancel)
    }
  }

  return async <T>(address: string, input: RequestInput = {}) => {
    const url = withQuery(address, input.query)
    const repeatable = input.repeatable ?? (input.method ?? 'GET') === 'GET'
    for (let tries = 0; ; tries++) {
      try {
        const answer = await attempt(url, input)
        if (answer.ok) return { body: await jsonOf<T>(url, answer), headers: answer.headers }
        throw await refusalOf(answer)
      } catch (error) {
        // A 429 has had no effect, whatever was asked for.
        const again = repeatable || (error instanceof RefusedError && error.status === 429)
        if (!(error instanceof WalletError && error.retryable && again) || tries >= retries) throw error
        await pause(afterMs(error) ?? backoffMs * 2 ** tries * (0.5 + Math.random() / 2), input.signal)
      }
    }
  }
}

/** Waits, or throws the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** What the promise settles to, or the signal's reason as soon as it is aborted. */
export function untilAborted<T>(waited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason as Error)
    const done = () => signal?.removeEventListener('abort', abort)
    waited.then(resolve, reject).finally(done)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

const retryAfter = new WeakMap<WalletError, number>()
const afterMs = (error: WalletError) => retryAfter.get(error)

function initOf({ method = 'GET', json, headers }: RequestInput): RequestInit {
  if (json === undefined) return { method, headers: { accept: 'application/json', ...headers } }
  const content = { accept: 'application/json', 'content-type': 'application/json' }
  return { method, headers: { ...content, ...headers }, body: JSON.stringify(json) }
}

function withQuery(address: string, query: RequestInput['query']): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}

async function jsonOf<T>(url: string, answer: Response): Promise<T> {
  const text = await answer.text()
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T
  } catch (cause) {
    throw new WalletError('answer-invalid', `${new URL(url).host} did not answer with JSON.`, { cause })
  }
}

/** A problem document of the aggregator, or `{error}` of a SEP. */
async function refusalOf(answer: Response): Promise<RefusedError> {
  const { status, headers } = answer
  const text = await answer.text()
  let body: { code?: unknown; detail?: unknown; error?: unknown } = {}
  try {
    body = { ...(JSON.parse(text) as object) }
  } catch {
    // A proxy's page: its text is for no one.
  }
  const code = typeof body.code === 'string' ? body.code : 'anchor-refused'
  const message = String(body.detail ?? body.error ?? `The server answered ${status}.`)
  const error = new RefusedError(code, message, { status, requestId: headers.get('x-request-id') })
  const seconds = Number(headers.get('retry-after') ?? NaN)
  if (seconds >= 0) retryAfter.set(error, Math.min(seconds * 1000, LONGEST_PAUSE_MS))
  return error
}
