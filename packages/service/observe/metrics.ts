import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { PROXY_SECRET_HEADER } from '../http/client-address.ts'
import { cacheSizes } from '../work/bounded-cache.ts'
import { collectProcessMetrics } from './event-loop.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Register a service's own metrics here. */
    metrics: Registry
  }
}

/** One value of a gauge with its labels. */
export interface Sample {
  labels?: Record<string, string>
  value: number
}

interface GaugeOptions {
  /** By the conventions of Prometheus: `windlass_`, what is measured, its unit in the plural. */
  name: string
  help: string
  labels?: readonly string[]
  /** Null, or no sample for some labels: not known, and left out. */
  read(): Sample[] | number | null | Promise<Sample[] | number | null>
}

const KEEP_MS = 5_000
const READ_WITHIN_MS = 2_000

/** Reads at most once in five seconds: several gauges, and several Prometheus servers, cost one query. */
export function kept<T>(read: () => Promise<T>): () => Promise<T> {
  let until = -Infinity
  let last: Promise<T>
  return () => {
    if (performance.now() >= until) {
      until = performance.now() + KEEP_MS
      last = read()
      last.catch(() => (until = -Infinity))
    }
    return last
  }
}

/**
 * Registers a gauge whose values are read when Prometheus asks. Values that cannot be read within two seconds are left
 * out and counted in `windlass_metric_failures_total`; the other metrics are still answered. Wrap functions that query a
 * database in {@link kept}.
 */
export function publishGauge(registry: Registry, { name, help, labels = [], read }: GaugeOptions): void {
  const clear = (): void => {
    gauge.reset()
    // Without labels it would show 0, which is a value.
    if (labels.length === 0) gauge.remove()
  }
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect: async () => {
      const samples = await inTime(read).catch(() => null)
      if (samples === null) failures.inc({ metric: name })
      clear()
      for (const { labels: given = {}, value } of samples ?? []) gauge.set(given, value)
    },
  })
  clear()
}

async function inTime(read: GaugeOptions['read']): Promise<Sample[]> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timed out')), READ_WITHIN_MS)
  try {
    const values = await Promise.race([(async () => read())(), late])
    if (values === null) return []
    return typeof values === 'number' ? [{ value: values }] : values
  } finally {
    clearTimeout(timer)
  }
}

/** Counters belong to the process: the code that increments them has no server at hand. */
const counters = new Registry()

/** A counter that `/metrics` of this process shows, from 0 where it has no labels. */
export function createCounter<L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Counter<L> {
  return new Counter({ name, help, labelNames: [...labels], registers: [counters] })
}

const failures = createCounter('windlass_metric_failures_total', 'Metrics that could not be read', ['metric'])

/** What the process keeps in memory because others may ask again. */
function publishCaches(registry: Registry): void {
  const gauge = (name: string, help: string, of: 'bytes' | 'entries') =>
    publishGauge(registry, {
      ...{ name, help, labels: ['cache'] },
      read: () => cacheSizes().map(each => ({ labels: { cache: each.name }, value: each[of] })),
    })
  gauge('windlass_cache_bytes', 'Bytes that a cache holds, about', 'bytes')
  gauge('windlass_cache_entries', 'Entries of a cache', 'entries')
}

/**
 * `GET /metrics` in Prometheus' text form, for clients that reach the service itself. The reverse proxy never routes it,
 * and a request that a console or the proxy forwarded gets 404, however its path was written.
 */
export function measure(app: FastifyInstance, service: string): void {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  counters.setDefaultLabels({ service })
  collectProcessMetrics(registry)
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  publishCaches(registry)
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
    if (isPassedOn(request.headers)) return reply.callNotFound()
    const parts = await Promise.all([registry.metrics(), counters.metrics()])
    return reply.type(registry.contentType).send(parts.join('\n'))
  })
}

/** Whether the reverse proxy or a console forwarded a request: then it comes from outside. */
export const isPassedOn = (headers: Record<string, unknown>): boolean =>
  headers[PROXY_SECRET_HEADER] !== undefined
