import { createClient } from '@windlass/client/client.ts'

/** The aggregator, forwarded by the console's own server. */
export const aggregator = createClient({ baseUrl: '/aggregator' })
