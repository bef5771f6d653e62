import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentTo } from '../outbound/proxy.ts'
import packageFile from '../../../package.json' with { type: 'json' }

const SEND_EVERY_MS = 2_000
const STOP_WITHIN_MS = 2_000
const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

/** One step of a trace (OpenTelemetry). */
export interface Span {
  /** Names this step as the parent of what follows, as W3C Trace Context does. */
  traceparent: string
  set(attributes: Attributes): void
  /** With an error: the step failed. */
  end(error?: unknown): void
}

/** The step that caused another, as a `traceparent`. */
export interface Parent {
  traceparent: string
  /** A stranger's trace is continued, but whether it is recorded is for our sampler to say. */
  byStranger: boolean
}

type Attributes = Record<string, string | number | boolean>

export interface Tracer {
  /** @param parent undefined starts a trace. */
  start(
    kind: keyof typeof KINDS,
    name: string,
    parent: Parent | string | undefined,
    attributes?: Attributes,
  ): Span
  /** Sends the spans that are recorded. */
  stop(): Promise<void>
}

/**
 * OpenTelemetry's SDK with its OTLP exporter. Sampling and headers are configured by OpenTelemetry's own variables
 * (`OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`).
 */
export function createTracer(service: string, endpoint: string): Tracer {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, httpAgentOptions: () => agentTo(url) })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'windlass',
      'service.version': packageFile.version,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS })],
  })
  const tracer = provider.getTracer('windlass')
  // A span that never ends is never sent.
  const flagsOfNewTrace = () => tracer.startSpan('new trace', {}, ROOT_CONTEXT).spanContext().traceFlags
  const contextOf = (parent: Parent | string | undefined): Context => {
    if (parent === undefined || typeof parent === 'string') return contextFrom(parent)
    return contextFrom(parent.traceparent, parent.byStranger ? flagsOfNewTrace() : undefined)
  }
  return {
    start: (kind, name, parent, attributes = {}) => {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent))
      return {
        traceparent: traceparentOf(span.spanContext()),
        set: more => void span.setAttributes(more),
        end: error => {
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) })
          span.end()
        },
      }
    },
    stop: () => Promise.race([provider.shutdown(), sleep(STOP_WITHIN_MS, undefined, { ref: false })]),
  }
}

/** Messages may quote what people sent: only the kind of error leaves the process. */
const messageOf = (error: unknown): string => (error instanceof Error ? error.name : 'failed')

function contextFrom(traceparent: string | undefined, traceFlags?: number): Context {
  const [, traceId = '', spanId = '', flags = '00'] = (traceparent ?? '').split('-')
  const parent = { traceId, spanId, traceFlags: traceFlags ?? Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
