import type { Reply } from '@windlass/client/client.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'

const REFRESH_MS = 10_000

/** A list that is read page by page, newest first, and kept fresh. */
export function listQuery<Rows>(
  key: readonly unknown[],
  read: (page: { cursor: string | undefined }, signal: AbortSignal) => Promise<Reply<Rows>>,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      const { body, headers } = await read({ cursor: pageParam }, signal)
      return { rows: body, next: cursorIn(headers.get('link')) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
    refetchInterval: REFRESH_MS,
  })
}

/** The next page's cursor, from `Link: <…?cursor=…>; rel="next"` (RFC 8288). */
function cursorIn(link: string | null): string | undefined {
  const address = /<([^>]+)>;\s*rel="?next"?/.exec(link ?? '')?.[1]
  return address ? (new URL(address, location.origin).searchParams.get('cursor') ?? undefined) : undefined
}
