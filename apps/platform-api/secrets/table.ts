import type { Generated } from 'kysely'

export interface StoredCredentialsTable {
  name: string
  state: 'writing' | 'kept' | 'leaving'
  created_at: Generated<Date>
}
