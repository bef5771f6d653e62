import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP/JSON has it, with its attributes by name. */
interface CollectedSpan {
  service: string
  name: string
  kind: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  failed: boolean
  attributes: Record<string, unknown>
}

/** An OpenTelemetry collector that keeps what it gets. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans(): CollectedSpan[]
  /** Everything as it came. */
  text(): string
  close(): Promise<void>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number; boolValue?: boolean }
}

interface Batch {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: {
        name: string
        kind: number
        traceId: string
        spanId: string
        parentSpanId?: string
        status: { code?: number }
        attributes: Attribute[]
      }[]
    }[]
  }[]
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']
const FAILED = 2

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString())
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(body => spansOf(JSON.parse(body) as Batch)),
    text: () => bodies.join('\n'),
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function spansOf({ resourceSpans }: Batch): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(byName(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId, status, attributes }) => ({
        ...{ service, name, traceId, spanId, parentSpanId },
        kind: KINDS[kind] ?? '',
        failed: status.code === FAILED,
        attributes: byName(attributes),
      })),
    )
  })
}

const byName = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
