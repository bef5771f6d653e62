import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { PROXY_SECRET_HEADER } from './client-address.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Register a service's own figures here. */
    metrics: Registry
  }
}

/**
 * `GET /metrics` in Prometheus' text form, for clients that reach the service itself: the reverse proxy never routes it,
 * and what a console or the proxy passed on, however its path was written, finds nothing here.
 */
export function measure(app: FastifyInstance, service: string): void {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  app.decorate('metrics', registry)
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
    }
    durations.observe(labels, reply.elapsedTime / 1000)
  })
  app.get('/metrics', async (request, reply) => {
    if (request.headers[PROXY_SECRET_HEADER] !== undefined) return reply.callNotFound()
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
