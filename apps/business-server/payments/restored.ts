import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * When the database was last set back to an older state; null: never. `windlass restore` sets it for each database. It is
 * read from the catalog: `current_setting` is what the connection was opened with, before or after a change.
 */
export async function restoredAt(db: Db<Tables>): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select nullif(substring(setting from '=(.*)$'), '') as at
    from pg_db_role_setting, unnest(setconfig) as setting
    where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())
      and split_part(setting, '=', 1) = 'windlass.restored_at'`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : null
}
