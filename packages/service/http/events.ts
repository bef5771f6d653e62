import type { FastifyReply } from 'fastify'

/** One server-sent event. `id` is what a client sends back as `Last-Event-ID`. */
export interface SentEvent {
  id?: string
  event?: string
  data: unknown
}

const KEEP_ALIVE_MS = 15_000
// A client that has stopped reading is disconnected; it reconnects with its Last-Event-ID.
const MAX_UNREAD_BYTES = 1_048_576

/** A stream of server-sent events (WHATWG HTML §9.2), kept alive with comments until either side closes. */
export function openEvents(reply: FastifyReply): {
  send(event: SentEvent): void
  close(): void
  closed: AbortSignal
} {
  const gone = new AbortController()
  reply.hijack()
  const headers = reply.getHeaders() as Record<string, string>
  reply.raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  if (reply.request.method === 'HEAD') {
    reply.raw.end()
    gone.abort()
  } else reply.raw.write('retry: 2000\n\n')
  const timer = setInterval(() => reply.raw.write(': still here\n\n'), KEEP_ALIVE_MS)
  reply.raw.on('close', () => {
    clearInterval(timer)
    gone.abort()
  })
  return {
    closed: gone.signal,
    send: ({ id, event, data }) => {
      if (gone.signal.aborted) return
      const lines = [id && `id: ${id}`, event && `event: ${event}`, `data: ${JSON.stringify(data)}`]
      reply.raw.write(`${lines.filter(Boolean).join('\n')}\n\n`)
      if (reply.raw.writableLength > MAX_UNREAD_BYTES) reply.raw.destroy()
    },
    close: () => reply.raw.end(),
  }
}
