import { readdir } from 'node:fs/promises'
import type pg from 'pg'
import packageFile from '../../../package.json' with { type: 'json' }
import { ConfigError } from '../process/env.ts'

/** A migration that was applied to a database. */
export interface Applied {
  name: string
  at: Date
  /** Null: applied by a release that did not say which it is. */
  release: string | null
}

/** The release whose migrations these are. */
export const OWN_RELEASE = packageFile.version

/** A newer release has migrated the database. */
class NewerDatabaseError extends ConfigError {}

/** The migrations of a folder, in order. */
export const listMigrations = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(file => file.endsWith('.sql')).sort()

/**
 * What was applied to a database, the newest last; nothing where no part has its tables there.
 *
 * @param client logged in as who owns the tables, who may have put a view or a function in their place
 */
export async function listApplied(client: Pick<pg.ClientBase, 'query'>): Promise<Applied[]> {
  const { rowCount } = await client.query("select 1 where to_regclass('schema_migrations') is not null")
  if (rowCount === 0) return []
  // Earlier releases made the table without the column `release`. Its owner could put more there than we can hold.
  const { rows } = await client.query<Applied>(
    `select pg_catalog.left(name, 200) as name, applied_at::pg_catalog.timestamptz as at,
       pg_catalog.left(pg_catalog.to_jsonb(applied) ->> 'release', 100) as release
     from (select * from schema_migrations order by applied_at desc, name desc limit 10000) applied
     order by applied_at, name`,
  )
  return rows
}

/**
 * @param known names of all migrations that this release has
 * @throws {NewerDatabaseError} where others were applied
 */
export function requireKnown(applied: readonly Applied[], known: readonly string[], database?: string): void {
  const unknown = applied.filter(({ name }) => !known.includes(name)).at(-1)
  if (!unknown) return
  const release = unknown.release === OWN_RELEASE ? null : unknown.release
  const by = release ? `release ${release}` : 'a later release'
  throw new NewerDatabaseError(
    `The database${database ? ` of ${database}` : ''} was migrated by ${by} (${unknown.name}, ${unknown.at.toISOString()}), and this is release ${OWN_RELEASE}, which does not know it. ` +
      `Start ${release ? `release ${release} or a later one` : 'that release'}. To go back, restore the backup that was made before the upgrade: docs/guides/upgrade.md`,
  )
}
