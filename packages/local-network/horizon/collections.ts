import type { FastifyInstance, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { ledgerId } from '../ledger/order.ts'
import type { Instance } from './instance.ts'
import { pageBody, pageOf, type Page, type Resource } from './paging.ts'
import { notAcceptable } from './problems.ts'

/** Reads the part of a collection that a page names. */
export type ReadPage = (page: Page) => readonly Resource[]

const json = ['application/hal+json', 'application/json']
const stream = 'text/event-stream'
const bytes = 'application/octet-stream'

/**
 * What the client prefers of what Horizon knows (RFC 9110 §12.5.1); HAL where it does not say.
 * @throws HorizonProblem 406 when that is not served here
 */
function negotiate({ raw, headers }: FastifyRequest, served: readonly string[]): string {
  if (!headers.accept) return 'application/hal+json'
  const preferred = new Negotiator(raw).mediaType([...json, stream, bytes])
  if (preferred === undefined || ![...json, ...served].includes(preferred)) throw notAcceptable()
  return preferred
}

/**
 * Serves a collection as pages, and as a stream to clients that ask for events, where Horizon streams it. `open`
 * checks the request (and throws) before anything is sent.
 */
export function serveCollection(
  app: FastifyInstance,
  instance: Instance,
  path: string,
  open: (request: FastifyRequest) => ReadPage,
  { streamed }: { readonly streamed: boolean } = { streamed: true },
): void {
  app.get(path, (request, reply) => {
    const type = negotiate(request, streamed ? [stream] : [])
    // `now` is the moment of the request, not each moment a stream looks for more.
    const fixed = (cursor: string) => (cursor === 'now' ? endOf(instance.latest.sequence) : cursor)
    const asked = pageOf(request)
    const page = { ...asked, cursor: fixed(asked.cursor) }
    const read = open(request)
    if (type !== stream) return pageBody(request, page, read(page))
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

/** Serves one resource; streamed, again whenever it has changed; as bytes, where it has a raw form. */
export function serveResource<T extends object>(
  app: FastifyInstance,
  instance: Instance,
  path: string,
  read: (request: FastifyRequest) => T,
  { streamed, raw }: { readonly streamed?: true; readonly raw?: (resource: T) => Buffer } = {},
): void {
  app.get(path, (request, reply) => {
    const type = negotiate(request, [...(streamed ? [stream] : []), ...(raw ? [bytes] : [])])
    const resource = read(request)
    if (type === bytes && raw) return reply.type(bytes).send(raw(resource))
    if (type !== stream) return resource
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
