import type { Generated } from 'kysely'

export type BrowserRealm = 'operator' | 'admin' | 'customer'

export interface SessionsTable {
  id: string
  realm: BrowserRealm
  subject: string
  address: string
  user_agent: string
  created_at: Generated<Date>
  last_seen_at: Generated<Date>
  expires_at: Date
  idle_seconds: number | null
  ended_at: Date | null
}
