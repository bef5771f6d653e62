import type { ColumnType } from 'kysely'

/** SEP-10 challenges that were exchanged for a token: each is good once. */
export interface UsedChallengeTable {
  hash: Buffer
  expires_at: ColumnType<Date, Date, never>
}

export interface SepDatabase {
  sep10_used_challenges: UsedChallengeTable
}
