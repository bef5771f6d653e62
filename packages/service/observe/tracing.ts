import type { Tracer } from './tracing-sdk.ts'

let tracer: Tracer | null = null

/** Null: nothing is traced. */
export const currentTracer = (): Tracer | null => tracer

/**
 * Sends spans to an OpenTelemetry collector from now on. The library is loaded only here.
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
