import { createClient, type Client } from '@windlass/client/client.ts'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'

/** The platform, asked as this anchor. */
export const createPlatform = (baseUrl: string, serviceSecret: string): Client =>
  createClient({ baseUrl, fetch: fetchPart, headers: { 'x-service-secret': serviceSecret } })
