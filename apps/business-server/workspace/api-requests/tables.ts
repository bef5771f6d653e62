import type { Generated } from 'kysely'

export interface ApiRequestsTable {
  id: Generated<string>
  key_id: string
  method: string
  /** The endpoint's, with the names of its parameters. */
  path: string
  status: number
  duration_ms: number
  request_id: string
  created_at: Date
}

export interface ApiRequestsTables {
  api_requests: ApiRequestsTable
}
