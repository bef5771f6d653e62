/** One step of a trace (OpenTelemetry). */
export interface Span {
  /** Names this step as the parent of what follows, as W3C Trace Context does. */
  traceparent: string
  set(attributes: Attributes): void
  /** With an error: the step failed. */
  end(error?: unknown): void
}

type Attributes = Record<string, string | number | boolean>

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal'

export interface Tracer {
  /** @param parent a `traceparent`; undefined begins a trace. */
  start(kind: SpanKind, name: string, parent: string | undefined, attributes?: Attributes): Span
  /** Sends what is recorded. */
  stop(): Promise<void>
}

let tracer: Tracer | null = null

/** Null: nothing is traced, which costs nothing. */
export const currentTracer = (): Tracer | null => tracer

/**
 * Sends spans to an OpenTelemetry collector from here on. The library is loaded only then.
 *
 * @param endpoint OTLP over HTTP, such as `http://localhost:4318`
 */
export async function startTracing(service: string, endpoint: string): Promise<Tracer> {
  const { createTracer } = await import('./tracing-sdk.ts')
  const started = createTracer(service, endpoint)
  tracer = {
    ...started,
    stop: async () => {
      tracer = null
      await started.stop()
    },
  }
  return tracer
}
