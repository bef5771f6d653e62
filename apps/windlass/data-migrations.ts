import { databaseUrl } from '@windlass/postgres/databases.ts'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { findRunning } from '@windlass/postgres/start.ts'
import {
  type Applied,
  listApplied,
  listMigrations,
  requireKnown,
} from '@windlass/service/postgres/applied-migrations.ts'
import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import type { Env } from '@windlass/service/process/env.ts'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { inDatabase } from './databases.ts'
import { CHECKOUT, type Home } from './home.ts'
import { SERVICES } from './services.ts'
import type { Settings } from './settings.ts'

/** In the data folder, and so in its backups: the migrations that were applied, by the variable of their database. */
const FILE = 'windlass_migrations.json'
type Known = Partial<Record<string, Applied[]>>

/**
 * Each part refuses by itself; before any starts, this says it of all databases whose Postgres does not run yet.
 *
 * @throws {NewerDatabaseError} where a release that is newer than this one has migrated them
 */
export async function requireMigrationsOfData(home: Home): Promise<void> {
  const file = join(placeData(home.postgres).folder, FILE)
  if (!existsSync(file)) return
  for (const [variable, applied = []] of Object.entries(readKnown(file)))
    requireKnown(applied, await migrationsOf(variable), variable)
}

/** @throws {NewerDatabaseError} as {@link requireMigrationsOfData}, of a database that answers */
export async function requireMigrationsAt(client: pg.ClientBase, variable: string): Promise<void> {
  requireKnown(await listApplied(client), await migrationsOf(variable), variable)
}

/** Remembers what the parts have applied by now to the databases of the running Postgres of this home. */
export async function rememberMigrations(
  home: Home,
  databases: Settings['databases'],
  { POSTGRES_PASSWORD = '' }: Env,
): Promise<void> {
  const port = findRunning(home.postgres)?.port
  if (port === undefined) return
  const superuser = databaseUrl(`postgres://127.0.0.1:${port}`, 'postgres', 'postgres', POSTGRES_PASSWORD)
  const known: Known = {}
  for (const { variable, name } of databases) known[variable] = await inDatabase(superuser, name, listApplied)
  writeWhole(join(placeData(home.postgres).folder, FILE), `${JSON.stringify(known, null, 2)}\n`)
}

/** Postgres' account can write there. */
function readKnown(file: string): Known {
  try {
    const known: Record<string, (Omit<Applied, 'at'> & { at: string })[]> = JSON.parse(
      readFileSync(file, 'utf8'),
    )
    const dated = Object.entries(known).map(([variable, applied]) => [
      variable,
      applied.map(each => ({ ...each, at: new Date(each.at) })),
    ])
    return Object.fromEntries(dated) as Known
  } catch {
    return {}
  }
}

/** The names of all migrations that this checkout has for a database. */
async function migrationsOf(variable: string): Promise<string[]> {
  const folders = SERVICES.filter(({ database }) => database === variable).map(({ name }) =>
    join(CHECKOUT, 'apps', name, 'migrations'),
  )
  const shared = [sharedMigrations, join(CHECKOUT, 'packages', 'kyc-providers', 'migrations')]
  return (await Promise.all([...shared, ...folders].map(listMigrations))).flat()
}
