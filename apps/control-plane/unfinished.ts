import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Tables of work that a loop continues until `finished_at` is set. */
type WorkTable = 'removals' | 'upgrades'

/** Ids of a table's rows that are not finished, oldest first, at most 100. Called by the slice that owns the table. */
export async function listUnfinished(db: Db<Tables>, table: WorkTable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where finished_at is null order by created_at limit 100`.execute(db)
  return rows.map(({ id }) => id)
}
