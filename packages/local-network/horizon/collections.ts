import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ledgerId } from '../ledger/order.ts'
import type { Instance } from './instance.ts'
import { pageBody, pageOf, type Page, type Resource } from './paging.ts'
import { wantsStream } from './requests.ts'

/** Reads the part of a collection that a page names. */
export type ReadPage = (page: Page) => readonly Resource[]

/**
 * Serves a collection as pages, and as a stream to clients that ask for events. `open` checks the request (and throws)
 * before anything is sent.
 */
export function serveCollection(
  app: FastifyInstance,
  instance: Instance,
  path: string,
  open: (request: FastifyRequest) => ReadPage,
): void {
  app.get(path, (request, reply) => {
    // `now` is the moment of the request, not each moment a stream looks for more.
    const fixed = (cursor: string) => (cursor === 'now' ? endOf(instance.latest.sequence) : cursor)
    const asked = pageOf(request)
    const page = { ...asked, cursor: fixed(asked.cursor) }
    const read = open(request)
    if (!wantsStream(request)) return pageBody(request, page, read(page))
    const cursor = fixed(lastSeen(request) ?? page.cursor)
    instance.streams.serve(
      request,
      reply,
      listener => instance.onLedger(listener),
      cursor,
      page.limit,
      (after, limit) =>
        read({ cursor: after, order: 'asc', limit }).map(data => ({ id: data.paging_token, data })),
    )
    return reply
  })
}

function endOf(ledger: number): string {
  return (ledgerId(ledger + 1) - 1n).toString()
}

/** Serves one resource; as a stream, again whenever it has changed; as bytes, where it has a raw form. */
export function serveResource<T extends object>(
  app: FastifyInstance,
  instance: Instance,
  path: string,
  read: (request: FastifyRequest) => T,
  raw?: (resource: T) => Buffer,
): void {
  app.get(path, (request, reply) => {
    const resource = read(request)
    if (raw && request.headers.accept === 'application/octet-stream')
      return reply.type('application/octet-stream').send(raw(resource))
    if (!wantsStream(request)) return resource
    let known = ''
    instance.streams.serve(
      request,
      reply,
      listener => instance.onLedger(listener),
      '',
      10,
      () => {
        const data = read(request)
        const text = JSON.stringify(data)
        if (text === known) return []
        known = text
        return [{ id: '', data }]
      },
    )
    return reply
  })
}

/** A client that reconnects sends the id of the last event it has seen. */
function lastSeen(request: FastifyRequest): string | undefined {
  const id = request.headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}
