import type {
  AnswerOf,
  BodyOf,
  Endpoint,
  EndpointShape,
  ParamsOf,
  QueryOf,
} from '@windlass/contracts/endpoint.ts'
import type { ProblemDocument } from '@windlass/contracts/common.ts'

/** An answer outside 2xx. `problem` is the service's own document, or one made from whatever came instead. */
export class ProblemError extends Error {
  readonly status: number
  readonly problem: ProblemDocument & { [extension: string]: unknown }
  readonly #answer: { readonly headers: Headers }

  constructor(status: number, problem: ProblemDocument, answer: { readonly headers: Headers }) {
    super(`${status} ${problem.code}: ${problem.detail}`)
    this.name = 'ProblemError'
    this.status = status
    this.problem = problem as ProblemError['problem']
    this.#answer = answer
  }

  get headers(): Headers {
    return this.#answer.headers
  }
}

type Needed<K extends string, T> = undefined extends T ? { [P in K]?: T } : { [P in K]: T }
type OptionalBody<T> = T extends undefined ? { body?: unknown } : { body?: T }

/** What a call needs: `params`, `query`, `body` as the endpoint declares them (bytes or a file for one that is `raw`), further `headers`, a `signal`. */
export type CallInput<E extends EndpointShape> = Needed<'params', ParamsOf<E>> &
  Partial<Needed<'query', QueryOf<E>>> &
  OptionalBody<BodyOf<E>> & { headers?: Record<string, string>; signal?: AbortSignal }

export interface Reply<T> {
  status: number
  body: T
  headers: Headers
}

export interface Client {
  /** The success body. Throws {@link ProblemError} outside 2xx. */
  call<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...input: {} extends CallInput<S> ? [CallInput<S>?] : [CallInput<S>]
  ): Promise<AnswerOf<S>>
  /** As `call`, with status and headers (cookies, `Link`). */
  send<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...input: {} extends CallInput<S> ? [CallInput<S>?] : [CallInput<S>]
  ): Promise<Reply<AnswerOf<S>>>
  /** As `call`, with the answer's body unread: for files. */
  open<S extends EndpointShape>(
    endpoint: Endpoint<S>,
    ...input: {} extends CallInput<S> ? [CallInput<S>?] : [CallInput<S>]
  ): Promise<Response>
}

/** An answer whose text was read already, within a bound. */
export interface ReadAnswer {
  status: number
  text: string
  /** One that came several times has its values with commas between them. */
  header(name: string): string | null
  /** All of them: made where it is asked for, since few are. */
  readonly headers: Headers
}

export interface ClientOptions {
  /** `http://localhost:4000`; empty in a browser that talks to its own origin. */
  baseUrl: string
  fetch?: (url: string, init: RequestInit) => Promise<Response | ReadAnswer>
  headers?: Record<string, string>
  /** The longest body of an answer. Default: 16 MB; less for a service that is not trusted. `open` reads no body and has no limit. */
  maxBytes?: number
  /** Keeps cookies between calls, for callers that are not browsers. */
  cookies?: CookieJar
}

/** Name to value, as one host sees it. */
export class CookieJar {
  readonly values = new Map<string, string>()

  header(): string {
    return [...this.values].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals).trim()
      const value = pair.slice(equals + 1).trim()
      const gone = value === '' || attributes.some(a => /^\s*max-age=0\s*$/i.test(a))
      if (gone) this.values.delete(name)
      else this.values.set(name, value)
    }
  }
}

const LONGEST_ANSWER = 16 * 2 ** 20
const REQUEST_ID = 'x-request-id'

/** A caller of endpoints at one service. It follows no redirect: credentials would go where the answer says. */
export function createClient(options: ClientOptions): Client {
  const fetcher = options.fetch ?? ((url, init) => fetch(url, init))

  async function ask(endpoint: Endpoint, input: LooseInput = {}): Promise<Response | ReadAnswer> {
    const answer = await fetcher(
      options.baseUrl + pathOf(endpoint, input),
      requestOf(endpoint, input, options),
    )
    options.cookies?.keep(answer.headers)
    if (answer.status >= 200 && answer.status < 300) return answer
    const body = await bodyOf(answer, options)
    throw new ProblemError(answer.status, asProblem(answer, body), answer)
  }
  async function open(endpoint: Endpoint, input?: LooseInput): Promise<Response> {
    const answer = await ask(endpoint, input)
    return isRead(answer) ? new Response(answer.text, answer) : answer
  }
  async function send(endpoint: Endpoint, input?: LooseInput): Promise<Reply<unknown>> {
    const answer = await ask(endpoint, input)
    const body = await bodyOf(answer, options)
    return {
      ...{ status: answer.status, body },
      get headers() {
        return answer.headers
      },
    }
  }

  const call = async (endpoint: Endpoint, input?: LooseInput) => (await send(endpoint, input)).body
  return { call, send, open } as Client
}

interface LooseInput {
  params?: unknown
  query?: unknown
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The path of a request, for what is not fetched by a client: event streams, downloads. */
export function pathOf(endpoint: Endpoint, input: LooseInput): string {
  const params = (input.params ?? {}) as Record<string, string>
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries((input.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined) query.set(name, String(value))
  }
  const search = query.toString()
  return search ? `${path}?${search}` : path
}

function requestOf(endpoint: Endpoint, input: LooseInput, options: ClientOptions): RequestInit {
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...options.headers,
    ...input.headers,
  }
  const cookie = options.cookies?.header()
  if (cookie) headers.cookie = cookie
  const init: RequestInit = { method: endpoint.method, headers, redirect: 'error' }
  if (input.signal) init.signal = input.signal
  if (input.body instanceof Uint8Array || input.body instanceof Blob) {
    headers['content-type'] = 'application/octet-stream'
    init.body = input.body as Blob
  } else if (input.body !== undefined) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(input.body)
  }
  return init
}

const isRead = (answer: Response | ReadAnswer): answer is ReadAnswer => typeof answer.text === 'string'

async function bodyOf(
  answer: Response | ReadAnswer,
  { maxBytes = LONGEST_ANSWER }: ClientOptions,
): Promise<unknown> {
  const text = isRead(answer) ? answer.text : await textOf(answer, maxBytes)
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function textOf({ body }: Response, maxBytes: number): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    size += part.value.length
    if (size > maxBytes) {
      await reader?.cancel()
      throw new Error(`the answer is longer than ${maxBytes} bytes`)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

function asProblem(response: Response | ReadAnswer, body: unknown): ProblemDocument {
  if (typeof body === 'object' && body !== null && 'code' in body) return body as ProblemDocument
  return {
    type: 'about:blank',
    title: (!isRead(response) && response.statusText) || `HTTP ${response.status}`,
    status: response.status,
    detail: typeof body === 'string' ? body.slice(0, 200) : `The service answered ${response.status}.`,
    code: 'unexpected-answer',
    requestId: (isRead(response) ? response.header(REQUEST_ID) : response.headers.get(REQUEST_ID)) ?? '',
  }
}
