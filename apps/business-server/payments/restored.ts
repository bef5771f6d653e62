import type { Db } from '@windlass/service/postgres/database.ts'
import { readScalar, scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * When the database was last set back to an older state; null: never. `windlass restore` sets it for each database. It is
 * read from the catalog: `current_setting` is what the connection was opened with, before or after a change.
 */
export const lastRestore = scalar(
  sql<string | null>`
    select nullif(substring(setting from '=(.*)$'), '')
    from pg_db_role_setting, unnest(setconfig) as setting
    where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())
      and split_part(setting, '=', 1) = 'windlass.restored_at'`,
  at => (at ? new Date(at) : null),
)

/** As {@link lastRestore}. */
export const restoredAt = (db: Db<Tables>): Promise<Date | null> => readScalar(db, lastRestore)
