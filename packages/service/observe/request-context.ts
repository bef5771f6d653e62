import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes, randomUUID } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import { STRANGERS_TRACE_HEADER } from '../http/forwarding.ts'
import { contexts, type Origin, type RequestContext } from './current-request.ts'
import type { Parent, Span } from './tracing-sdk.ts'
import { currentTracer } from './tracing.ts'

/** The caller's own `X-Request-Id`, else the trace of its `traceparent` (W3C Trace Context), else a new id. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id']
  if (typeof given === 'string' && /^[\w.-]{8,128}$/.test(given)) return given
  return traceIdOf(parentOf(headers)?.traceparent) ?? randomUUID()
}

/** The step of the caller; what a proxy of ours passed on is a stranger's. */
function parentOf(headers: IncomingHttpHeaders): Parent | undefined {
  const ours = readTraceparent(headers.traceparent)
  if (ours) return { traceparent: ours, byStranger: false }
  const strangers = readTraceparent(headers[STRANGERS_TRACE_HEADER])
  return strangers ? { traceparent: strangers, byStranger: true } : undefined
}

function readTraceparent(given: string | string[] | undefined): string | undefined {
  const found = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/.exec(
    String(given),
  )
  return found ? `00-${found[1]}-${found[2]}-${found[3]}` : undefined
}

const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.slice(3, 35)

/** The current request, to be stored with work that is queued for it. */
export function currentOrigin(): Origin | null {
  const context = contexts.getStore()
  if (!context) return null
  const { requestId, traceparent } = context
  return traceparent ? { requestId, traceparent } : { requestId }
}

/** The ids that every log line of the current work has. */
export function originFields(): { requestId?: string; traceId?: string } {
  const context = contexts.getStore()
  if (!context) return {}
  const traceId = traceIdOf(context.traceparent)
  return traceId ? { requestId: context.requestId, traceId } : { requestId: context.requestId }
}

/** Runs queued work as a step of the trace of the request that caused it. Null: no request in particular. */
export async function continueFrom<T>(
  origin: Origin | null,
  name: string,
  act: () => Promise<T>,
): Promise<T> {
  if (!origin) return act()
  const span = currentTracer()?.start('consumer', name, origin.traceparent)
  const context = {
    requestId: origin.requestId,
    traceparent: span?.traceparent ?? origin.traceparent,
    limits: [],
  }
  return ended(span, contexts.run(context, act))
}

/** Runs work that belongs to no request, wherever it is started. */
export const outsideRequests = <T>(act: () => T): T => contexts.exit(act)

/** A step of the current trace, if there is one. */
export async function inSpan<T>(name: string, act: () => Promise<T>): Promise<T> {
  const context = contexts.getStore()
  const span = context && currentTracer()?.start('internal', name, context.traceparent)
  if (!context || !span) return act()
  return ended(span, contexts.run({ ...context, traceparent: span.traceparent }, act))
}

async function ended<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  try {
    const result = await work
    span?.end()
    return result
  } catch (error) {
    span?.end(error)
    throw error
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * What everything that the request causes knows of it. A property, because an entry of a WeakMap keeps a finished
     * request until all old objects are collected, once the map's table is one of them (ADR 0010).
     */
    known: { context: RequestContext; span: Span | undefined } | null
  }
}

/**
 * Makes the request known to everything that it causes: limits that it counts against, calls of other services, logs.
 *
 * @param atEdge requests come from strangers: whether their traces are recorded is decided here
 */
export function keepRequestContext(app: FastifyInstance, { atEdge }: { atEdge: boolean }): void {
  app.decorateRequest('known', null)
  app.addHook('onRequest', (request, reply, done) => {
    const found = parentOf(request.headers)
    const parent = found && { ...found, byStranger: atEdge || found.byStranger }
    const span = startServerSpan(request, parent)
    const traceparent = span?.traceparent ?? parent?.traceparent
    const context: RequestContext = { requestId: request.id, traceparent, limits: [] }
    request.known = { context, span }
    const traceId = traceIdOf(traceparent)
    if (traceId) request.log = reply.log = request.log.child({ traceId })
    contexts.run(context, done)
  })
  // A body that is read in between continues in the context of its connection.
  app.addHook('preHandler', ({ known }, _reply, done) => {
    if (known) contexts.run(known.context, done)
    else done()
  })
  app.addHook('onSend', async (request, reply) => {
    const limits = request.known?.context.limits ?? []
    if (limits.length === 0) return
    reply.header('ratelimit', limits.map(({ left }) => left).join(', '))
    reply.header('ratelimit-policy', limits.map(({ policy }) => policy).join(', '))
  })
  app.addHook('onResponse', async (request, reply) => endServerSpan(request.known?.span, reply))
}

/** Requests that machines send every few seconds are not traced. */
const UNTRACED = /^\/(health|metrics)\b/

function startServerSpan(request: FastifyRequest, parent: Parent | undefined): Span | undefined {
  const tracer = currentTracer()
  if (!tracer || UNTRACED.test(request.url)) return undefined
  const { method } = request
  const route = request.routeOptions.url ?? 'unknown'
  return tracer.start('server', `${method} ${route}`, parent, {
    'http.request.method': method,
    'http.route': route,
    'windlass.request_id': request.id,
  })
}

function endServerSpan(span: Span | undefined, { statusCode }: FastifyReply): void {
  span?.set({ 'http.response.status_code': statusCode })
  span?.end(statusCode >= 500 ? statusCode : undefined)
}

/** Shows the caller a limit (draft-ietf-httpapi-ratelimit-headers). */
export function showLimit(name: string, points: number, seconds: number, left: number, wait: number): void {
  contexts.getStore()?.limits.push({
    left: `"${name}";r=${left};t=${wait}`,
    policy: `"${name}";q=${points};w=${seconds}`,
  })
}

/** A request of undici, which `fetch` is made of. */
interface Outgoing {
  method: string
  origin: string | URL
  headers: string | string[]
  addHeader(name: string, value: string): void
}

const spans = new WeakMap<object, Span>()

// Every request that this process sends, whichever code sends it.
diagnostics.subscribe('undici:request:create', message => {
  const context = contexts.getStore()
  if (!context) return
  const { request } = message as { request: Outgoing }
  const span = startClientSpan(request, context)
  if (span) spans.set(request, span)
  if (context.toStranger) return
  const headers = String(request.headers).toLowerCase()
  if (!headers.includes('x-request-id')) request.addHeader('x-request-id', context.requestId)
  const traceparent = span?.traceparent ?? another(context.traceparent)
  if (traceparent && !headers.includes('traceparent')) request.addHeader('traceparent', traceparent)
})

diagnostics.subscribe('undici:request:headers', message => {
  const { request, response } = message as { request: object; response: { statusCode: number } }
  spans.get(request)?.set({ 'http.response.status_code': response.statusCode })
})

diagnostics.subscribe('undici:request:trailers', message => {
  spans.get((message as { request: object }).request)?.end()
})

diagnostics.subscribe('undici:request:error', message => {
  const { request, error } = message as { request: object; error: unknown }
  spans.get(request)?.end(error)
})

function startClientSpan({ method, origin }: Outgoing, { traceparent }: RequestContext): Span | undefined {
  const { hostname, port } = new URL(origin)
  return currentTracer()?.start('client', `${method} ${hostname}`, traceparent, {
    'http.request.method': method,
    'server.address': hostname,
    ...(port ? { 'server.port': Number(port) } : {}),
  })
}

/** The same trace with an id of our own for the step, which is not recorded. */
const another = (traceparent: string | undefined): string | undefined =>
  traceparent?.replace(/-[\da-f]{16}-/, `-${randomBytes(8).toString('hex')}-`)
