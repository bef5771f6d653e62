import type { FastifyReply } from 'fastify'
import { clientNetwork } from './client-address.ts'
import { Problem } from './problem.ts'

/** One server-sent event. `id` is what a client sends back as `Last-Event-ID`. */
export interface SentEvent {
  id?: string
  event?: string
  data: unknown
}

const KEEP_ALIVE_MS = 15_000
// A client that has stopped reading is disconnected; it reconnects with its Last-Event-ID.
const MAX_UNREAD_BYTES = 1_048_576

/** What is shown is read again and again for as long as a stream is open, so a client has so many in a process. */
export const MOST_STREAMS = 32
const AGAIN_SECONDS = 5
const open = new Map<string, number>()

/**
 * A stream of server-sent events (WHATWG HTML §9.2), kept alive with comments until either side closes. Throws
 * `too-many-requests` for a `client` that has {@link MOST_STREAMS} open: its address, absent for the machine's own parts.
 */
export function openEvents(
  reply: FastifyReply,
  client?: string,
): {
  send(event: SentEvent): void
  close(): void
  closed: AbortSignal
} {
  const gone = new AbortController()
  if (client !== undefined) countOpen(clientNetwork(client), gone.signal)
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
  const left = () => {
    clearInterval(timer)
    gone.abort()
  }
  reply.raw.on('close', left)
  // It left before: no event follows.
  if (reply.raw.destroyed) left()
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

function countOpen(client: string, gone: AbortSignal): void {
  const others = open.get(client) ?? 0
  if (others >= MOST_STREAMS)
    throw new Problem(
      'too-many-requests',
      `This client has ${MOST_STREAMS} streams of events open. Close one, or ask for what it shows without a stream.`,
      { headers: { 'retry-after': String(AGAIN_SECONDS) } },
    )
  open.set(client, others + 1)
  gone.addEventListener('abort', () => {
    const left = (open.get(client) ?? 1) - 1
    if (left > 0) open.set(client, left)
    else open.delete(client)
  })
}
