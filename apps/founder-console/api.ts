import { createClient } from '@windlass/client/client.ts'

/** The platform, at this page's own origin. */
export const { call, send } = createClient({ baseUrl: '' })
