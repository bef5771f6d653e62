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
  confirmed_at: Generated<Date>
  expires_at: Date
  idle_seconds: number | null
  ended_at: Date | null
}

/** Operators' refresh tokens; their session is their family. */
export interface RefreshTokensTable {
  token_hash: Buffer
  session_id: string
  created_at: Generated<Date>
  expires_at: Date
  rotated_at: Date | null
}
