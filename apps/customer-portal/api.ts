import { createClient } from '@windlass/client/client.ts'
import { createQueries } from '@windlass/ui/console/queries.ts'

/** The platform, at this page's own origin. */
export const { call, send } = createClient({ baseUrl: '' })

export const { queries, onExpired } = createQueries()
