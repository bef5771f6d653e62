import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

/** Where a page starts: after the row with this time and id, newest first. */
export interface PageStart {
  createdAt: Date
  id: string
}

export interface PageQuery {
  limit?: number
  cursor?: string
}

export const pageSize = (query: PageQuery): number => query.limit ?? 100

/** Reads the opaque cursor that {@link linkNext} wrote. Throws `validation-failed`. */
export function pageStart(query: PageQuery): PageStart | null {
  if (!query.cursor) return null
  const [time = '', ...id] = Buffer.from(query.cursor, 'base64url').toString('utf8').split('|')
  const createdAt = new Date(time)
  if (Number.isNaN(createdAt.getTime()) || id.length === 0) {
    throw new Problem('validation-failed', 'cursor is not one that a Link header gave.', {
      errors: [{ path: 'cursor', message: 'must be the cursor of a Link header' }],
    })
  }
  return { createdAt, id: id.join('|') }
}

/** Sets `Link: <…>; rel="next"` (RFC 8288) where the page is full. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  query: PageQuery,
  rows: readonly { createdAt: Date; id: string }[],
): void {
  const last = rows.at(-1)
  if (!last || rows.length < pageSize(query)) return
  const cursor = Buffer.from(`${last.createdAt.toISOString()}|${last.id}`).toString('base64url')
  const next = new URL(request.url, 'http://self')
  next.searchParams.set('cursor', cursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
}
