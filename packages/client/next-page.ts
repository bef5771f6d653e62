import type { Reply } from './client.ts'

/** Every row of a list that people keep short, page after page. */
export async function everyPage<Row>(
  read: (page: { cursor?: string }) => Promise<Reply<Row[]>>,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const { body, headers } = await read(cursor === undefined ? {} : { cursor })
    rows.push(...body)
    cursor = nextCursor(headers)
  } while (cursor)
  return rows
}

/** The next page's cursor, from `Link: <…?cursor=…>; rel="next"` (RFC 8288); undefined on the last page. */
export function nextCursor(headers: Headers): string | undefined {
  const address = /<([^<>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1]
  // The address may be relative; only its query is of interest.
  return address
    ? (new URL(address, 'http://relative.invalid').searchParams.get('cursor') ?? undefined)
    : undefined
}
