import type {
  AnswerOf,
  BodyOf,
  Endpoint,
  EndpointShape,
  ParamsOf,
  QueryOf,
} from '@windlass/contracts/endpoint.ts'
import type { Principals, SignInStep } from '@windlass/contracts/realm.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import build, { type AnySchema } from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { Answer } from './answer.ts'
import type { BodyKind } from './bodies.ts'
import { consoleOf } from './cookie-rules.ts'
import { conditional } from './conditional.ts'
import type { Idempotency } from './idempotency.ts'
import type { Rate } from './rates.ts'
import { lazily } from '../work/lazily.ts'
import { guardOf, type Guards } from './realms.ts'
import { compileCheck, compileKeep, refuseUnstorable, type Place } from './validation.ts'

/** What a handler is given. */
export interface Call<S extends EndpointShape> {
  params: ParamsOf<S>
  query: QueryOf<S>
  body: BodyOf<S>
  principal: Principals[S['realm']]
  /** The body's bytes where the endpoint is declared `raw`, else empty. */
  raw: Buffer
  request: FastifyRequest
  /** Set cookies and headers here; sending is left to the framework. */
  reply: FastifyReply
}

type Result<T> = T | Answer<T>

/** Returns the body (status: the contract's lowest success), or {@link answer} to choose among several. */
export type Handler<S extends EndpointShape> = (
  call: Call<S>,
) => Promise<Result<AnswerOf<S>>> | Result<AnswerOf<S>>

/** Throws where the caller may not: asked before the body is read, so that a stranger cannot make us hold it. */
export type Before<S extends EndpointShape> = (
  call: Pick<Call<S>, 'params' | 'principal'>,
) => Promise<unknown>

/** Checks a part of a request and returns what the contract declares of it. */
type Readers = Partial<Record<Place, (value: unknown) => unknown>>

/** Serves one endpoint: guard, validation, idempotency, handler, answer. */
export function mount<S extends EndpointShape>(
  app: FastifyInstance,
  endpoint: Endpoint<S>,
  handler: Handler<S>,
  options: {
    guards?: Partial<Guards>
    idempotency?: Idempotency
    clientRate?(): Rate
    before?: Before<S>
  },
): void {
  const guard = guardOf(endpoint, options.guards)
  const clientRate = endpoint.limit === 'shared' ? options.clientRate : undefined
  if (endpoint.limit === 'shared' && !clientRate)
    throw new Error(
      `${endpoint.method} ${endpoint.path} counts clients' requests, which this service does not`,
    )
  // Most processes serve a few of their endpoints, and compiling all takes a quarter of their start.
  const reader = (schema: TSchema, place: Place) => lazily(() => compileReader(schema, place))
  const readers: Readers = {}
  if (endpoint.params) readers.params = reader(endpoint.params, 'params')
  if (endpoint.query) readers.query = reader(endpoint.query, 'query')
  if (endpoint.body && !endpoint.raw) readers.body = reader(endpoint.body, 'body')
  const status = Math.min(...Object.keys(endpoint.response).map(Number))

  const ageing = deprecationOf(endpoint)

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    schema: { response: serializedAnswers(endpoint) },
    validatorCompiler: () => () => true,
    serializerCompiler: ({ schema }) => lazily(() => build(schema as AnySchema)),
    config: {
      ...{ body: bodyKind(endpoint), realm: endpoint.realm, awaiting: endpoint.awaiting ?? [] },
      console: consoleOf(endpoint),
    },
    ...(endpoint.bodyLimit ? { bodyLimit: endpoint.bodyLimit } : {}),
    // Before the body is read, so that a stranger cannot make us parse.
    onRequest: async (request, reply) => {
      reply.headers(ageing)
      if (clientRate) await clientRate().demandQuietly(request.clientAddress)
      request.principal = await guard(request)
      if (options.before)
        await options.before({
          params: read('params', request.params, readers),
          principal: request.principal,
        } as Call<S>)
    },
    handler: async (request, reply) => {
      const call = readCall<S>(request, reply, endpoint, readers)
      const act = async () => toAnswer(await handler(call), status)
      const kept = endpoint.idempotent && endpoint.idempotent !== 'relayed' && options.idempotency
      const result = kept ? await kept.once(endpoint, request, act) : await act()
      return send(reply, endpoint.conditional ? conditional(request, endpoint, result) : result)
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principals[keyof Principals]
  }
  interface FastifyContextConfig {
    awaiting?: readonly SignInStep[]
  }
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
function deprecationOf({ deprecated }: Endpoint): Record<string, string> {
  if (!deprecated) return {}
  const headers = { deprecation: `@${Date.parse(deprecated.since) / 1000}` }
  return deprecated.sunset ? { ...headers, sunset: new Date(deprecated.sunset).toUTCString() } : headers
}

/** The serializer of each success status: it drops fields that the contract does not declare. */
function serializedAnswers({ response, file, events }: Endpoint): Record<string, unknown> {
  if (file || events) return {}
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => [
      status,
      status === '204' ? { type: 'null' } : schema,
    ]),
  )
}

function bodyKind(endpoint: Endpoint): BodyKind {
  if (endpoint.streamed) return 'streamed'
  if (endpoint.raw) return 'raw'
  if (!endpoint.body) return 'ignored'
  return endpoint.form ? 'json-or-form' : 'json'
}

function compileReader(schema: TSchema, place: Place): (value: unknown) => unknown {
  const [check, keep] = [compileCheck(schema, place), compileKeep(schema)]
  return value => {
    check(value)
    return keep(value)
  }
}

function readCall<S extends EndpointShape>(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  readers: Readers,
): Call<S> {
  const parts: Record<Place, unknown> = {
    params: request.params,
    query: request.query,
    body: endpoint.body && !endpoint.raw ? (request.body ?? {}) : undefined,
  }
  for (const place of ['params', 'query', 'body'] as const) {
    parts[place] = read(place, parts[place], readers)
  }
  const rest = { principal: request.principal, raw: request.rawBytes ?? Buffer.alloc(0), request, reply }
  return { ...parts, ...rest } as Call<S>
}

function read(place: Place, given: unknown, readers: Readers): unknown {
  refuseUnstorable(given)
  return readers[place]?.(given) ?? given
}

function toAnswer(result: unknown, status: number): Answer<unknown> {
  return result instanceof Answer ? result : new Answer(status, result, {})
}

function send(reply: FastifyReply, result: Answer<unknown>): FastifyReply {
  if (reply.sent) return reply
  for (const cookie of result.cookies) reply.setCookie(cookie.name, cookie.value, cookie.options)
  return reply.code(result.status).headers(result.headers).send(result.body)
}
