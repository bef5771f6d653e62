import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * When the database was last set back to an older state; null: never. `windlass restore` sets it for each database.
 */
export async function restoredAt(db: Db<Tables>): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select nullif(current_setting('windlass.restored_at', true), '') as at`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : null
}
