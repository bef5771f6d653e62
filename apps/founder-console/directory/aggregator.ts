import { createClient } from '@windlass/client/client.ts'
import { withQueries } from '@windlass/ui/console/query.ts'

/** The aggregator, forwarded by the console's own server. */
export const aggregator = withQueries(createClient({ baseUrl: '/aggregator' }))
