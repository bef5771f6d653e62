import type { ApiKeyScope } from '@windlass/contracts/api-keys.ts'

export interface ApiKeysTable {
  id: string
  anchor_id: string
  name: string
  prefix: string
  key_hash: Buffer
  scopes: ApiKeyScope[]
  created_by: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}
