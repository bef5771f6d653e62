import { createClient } from '@windlass/client/client.ts'
import { withIdempotencyKeys } from '@windlass/ui/console/idempotency-key.ts'
import { createQueries } from '@windlass/ui/console/queries.ts'
import { withQueries } from '@windlass/ui/console/query.ts'

/** The platform, at this page's own origin. */
export const { call, send, query, all, pages } = withQueries(
  createClient({ baseUrl: '', fetch: withIdempotencyKeys((url, init) => fetch(url, init)) }),
)

export const { queries, refresh, onExpired } = createQueries()
