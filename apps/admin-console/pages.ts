import type { Reply } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
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
      return { rows: body, next: nextCursor(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
    refetchInterval: REFRESH_MS,
  })
}
