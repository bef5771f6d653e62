import type { FastifyReply, FastifyRequest } from 'fastify'
import { getHeapStatistics } from 'node:v8'
import { clientNetwork } from './client-address.ts'
import { Problem } from './problem.ts'

/** Bodies up to here are not counted: there can be thousands. */
const SMALL_BYTES = 100 * 1024
/** A file takes a few times its size while it is read, encoded and sent on: an anchor's server has 24 MB, others 64 MB. */
const TOTAL_BYTES = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8)
/** Others must still be able to upload. */
const CLIENT_BYTES = TOTAL_BYTES / 2
/** What a body takes that is passed on in pieces: those on their way in, sealed, and on their way out. */
const STREAM_BYTES = 1024 * 1024
const RETRY_AFTER_S = '2'

/** Bounds what large bodies take of a process's memory. */
export function createBodyBudget() {
  const clients = new Map<string, number>()
  let total = 0
  /**
   * Counts a request's body before it is read, until it is answered. A client that has none under way, and a process without
   * any, take one of every size. Throws `too-many-requests`.
   */
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const bytes = sizeOf(request)
    if (bytes <= SMALL_BYTES) return
    const client = clientNetwork(request.clientAddress)
    const held = clients.get(client) ?? 0
    const isOver = (total > 0 && total + bytes > TOTAL_BYTES) || (held > 0 && held + bytes > CLIENT_BYTES)
    if (isOver)
      throw new Problem('too-many-requests', 'Too many large uploads are under way. Try again in a moment.', {
        headers: { 'retry-after': RETRY_AFTER_S },
      })
    total += bytes
    clients.set(client, held + bytes)
    reply.raw.once('close', () => {
      total -= bytes
      const left = (clients.get(client) ?? 0) - bytes
      if (left > 0) clients.set(client, left)
      else clients.delete(client)
    })
  }
}

/** The most that is read of it. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const streamed = routeOptions.config.body === 'streamed'
  const limit = Math.min(routeOptions.bodyLimit ?? SMALL_BYTES, streamed ? STREAM_BYTES : Infinity)
  const length = headers['content-length']
  if (length !== undefined) return Math.min(Number(length), limit)
  return headers['transfer-encoding'] === undefined ? 0 : limit
}
