import { createClient } from '@windlass/client/client.ts'
import { fetchConfirmed } from '@windlass/ui/confirmation.tsx'
import { withIdempotencyKeys } from '@windlass/ui/console/idempotency-key.ts'
import { createQueries } from '@windlass/ui/console/queries.ts'
import { withQueries } from '@windlass/ui/console/query.ts'

/** The platform, at this page's own origin. */
export const { call, send, open, query, all, pages } = withQueries(
  createClient({ baseUrl: '', fetch: withIdempotencyKeys(fetchConfirmed) }),
)

/** The aggregator, forwarded by the console's own server. */
export const aggregator = withQueries(createClient({ baseUrl: '/aggregator' }))

export const { queries, refresh, onExpired } = createQueries()
