import { continueRequests } from '@windlass/client/client.ts'
import type { FastifyInstance } from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

interface RequestContext {
  requestId: string
  /** 32 hex digits, where the caller traces. */
  traceId: string | undefined
  /** `RateLimit` and `RateLimit-Policy`, one entry for each limit that the request counted against. */
  limits: { left: string; policy: string }[]
}

const contexts = new AsyncLocalStorage<RequestContext>()

/** The caller's own `X-Request-Id`, else the trace of its `traceparent` (W3C Trace Context), else a new id. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id']
  if (typeof given === 'string' && /^[\w.-]{8,128}$/.test(given)) return given
  return traceIdOf(headers) ?? randomUUID()
}

function traceIdOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  const traceId = /^(?!ff)[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(String(traceparent))?.[1]
  return traceId && !/^0+$/.test(traceId) ? traceId : undefined
}

/** Lets what a request causes know the request: limits that it counts against, calls of other services. */
export function keepRequestContext(app: FastifyInstance): void {
  const kept = new WeakMap<object, RequestContext>()
  app.addHook('onRequest', (request, _reply, done) => {
    const traceId = traceIdOf(request.headers)
    const context: RequestContext = { requestId: request.id, traceId, limits: [] }
    kept.set(request, context)
    contexts.run(context, done)
  })
  // A body that is read in between continues in the context of its connection.
  app.addHook('preHandler', (request, _reply, done) => {
    const context = kept.get(request)
    if (context) contexts.run(context, done)
    else done()
  })
  app.addHook('onSend', async (request, reply) => {
    const limits = kept.get(request)?.limits ?? []
    if (limits.length === 0) return
    reply.header('ratelimit', limits.map(({ left }) => left).join(', '))
    reply.header('ratelimit-policy', limits.map(({ policy }) => policy).join(', '))
  })
}

/** Shows the caller a limit (draft-ietf-httpapi-ratelimit-headers). */
export function showLimit(name: string, points: number, seconds: number, left: number, wait: number): void {
  contexts.getStore()?.limits.push({
    left: `"${name}";r=${left};t=${wait}`,
    policy: `"${name}";q=${points};w=${seconds}`,
  })
}

continueRequests((): Record<string, string> => {
  const context = contexts.getStore()
  if (!context) return {}
  const { requestId, traceId } = context
  const headers = { 'x-request-id': requestId }
  return traceId ? { ...headers, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` } : headers
})
