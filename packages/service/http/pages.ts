import { Problem } from './problem.ts'

/**
 * Where a page starts: after the row with this time and id, newest first. A `Date` knows milliseconds, so the rows'
 * times must be whole milliseconds too (from the clock, not `now()` in SQL), or rows between would be left out.
 */
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
  const text = Buffer.from(query.cursor, 'base64url').toString('utf8')
  const [time = '', ...id] = text.split('|')
  const createdAt = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? time : NaN)
  if (Number.isNaN(createdAt.getTime()) || id.length === 0 || /[\0\uFFFD]/.test(text)) {
    throw new Problem('validation-failed', 'cursor is not from a Link header.', {
      errors: [{ path: 'cursor', message: 'must be the cursor of a Link header' }],
    })
  }
  return { createdAt, id: id.join('|') }
}

/** Sets `Link: <…>; rel="next"` (RFC 8288) where the page is full. */
export function linkNext(request: Asking, reply: Answering, query: PageQuery, rows: readonly Listed[]): void {
  const last = rows.at(-1)
  if (!last || rows.length < pageSize(query)) return
  const createdAt = 'created_at' in last ? last.created_at : new Date(last.createdAt)
  linkCursor(request, reply, cursorAfter({ id: last.id, createdAt }))
}

/** A row as a table has it, or in its form on the wire. */
type Listed = { id: string } & ({ created_at: Date } | { createdAt: Date | string })

/** The cursor of the page after a row; {@link pageStart} reads it. */
export const cursorAfter = ({ createdAt, id }: PageStart): string =>
  Buffer.from(`${createdAt.toISOString()}|${id}`).toString('base64url')

interface Asking {
  url: string
}

interface Answering {
  header(name: string, value: string): unknown
}

/** As {@link linkNext}, with a cursor that is known already: that of a neighbour whose list is passed on. */
export function linkCursor(request: Asking, reply: Answering, cursor: string): void {
  const next = new URL(request.url, 'http://self')
  next.searchParams.set('cursor', cursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
}
