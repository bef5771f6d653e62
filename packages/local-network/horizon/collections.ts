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
    const page = pageOf(request)
    const read = open(request)
    if (!wantsStream(request)) return pageBody(request, page, read(page))
    // `now` is the moment the stream opens, not each moment it is asked for more.
    const asked = lastSeen(request) ?? page.cursor
    const cursor = asked === 'now' ? endOf(instance.latest.sequence) : asked
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

/** Serves one resource; as a stream, again whenever it has changed. */
export function serveResource(
  app: FastifyInstance,
  instance: Instance,
  path: string,
  read: (request: FastifyRequest) => object,
): void {
  app.get(path, (request, reply) => {
    const resource = read(request)
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
        const told = JSON.stringify(data)
        if (told === known) return []
        known = told
        return [{ id: '', data }]
      },
    )
    return reply
  })
}

/** A client that comes back tells the last event it has seen. */
function lastSeen(request: FastifyRequest): string | undefined {
  const id = request.headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}
