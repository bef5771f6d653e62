import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
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
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Variables } from './base-env.ts'
import type { Release } from './built-from.ts'
import { CHECKOUT, type Home } from './home.ts'
import { SERVICES } from './services.ts'
import { rolePassword, type Settings } from './settings.ts'

/** In the data folder, and so in its backups. */
const FILE = 'windlass_release.json'

interface Known {
  /** With which the databases were started last; an upgrade that was not completed leaves the one before. */
  release?: Release
  /** What was applied, by the variable of the database. */
  migrations: Partial<Record<string, Applied[]>>
}

/**
 * Each part refuses by itself; before any starts, this says it of all databases whose Postgres does not run yet.
 *
 * @throws {NewerDatabaseError} where a release that is newer than this one has migrated them
 */
export async function requireMigrationsOfData(home: Home): Promise<void> {
  for (const [variable, applied = []] of Object.entries(readKnown(home).migrations))
    requireKnown(applied, await migrationsOf(variable), variable)
}

/** @throws {NewerDatabaseError} as {@link requireMigrationsOfData}, of a database that answers */
export async function requireMigrationsAt(client: pg.ClientBase, variable: string): Promise<void> {
  requireKnown(await listApplied(client), await migrationsOf(variable), variable)
}

/** The release with which the databases were started last; undefined: not known, or a Postgres of the operator's own. */
export const releaseOfData = (home: Home): Release | undefined => readKnown(home).release

/**
 * Remembers what the parts have applied by now to the databases of the running Postgres of this home.
 *
 * @param release with which they all run now; undefined: an upgrade stopped between two parts
 */
export async function rememberMigrations(
  home: Home,
  databases: Settings['databases'],
  variables: Variables,
  release: Release | undefined,
): Promise<void> {
  const port = findRunning(home.postgres)?.port
  if (port === undefined) return
  const server = `postgres://${LOOPBACK_HOST}:${port}`
  const migrations: Known['migrations'] = {}
  for (const { variable, name } of databases)
    migrations[variable] = await askOwner(databaseUrl(server, name, name, rolePassword(variables, name)))
  writeKnown(home, { ...readKnown(home), ...(release && { release }), migrations })
}

/** By the service's own login: what it made in its database must not be run as the superuser. */
async function askOwner(connectionString: string): Promise<Applied[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 30_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await listApplied(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const fileOf = (home: Home): string => join(placeData(home.postgres).folder, FILE)

export const writeKnown = (home: Home, known: Known): void =>
  void writeWhole(fileOf(home), `${JSON.stringify(known, null, 2)}\n`)

/** Postgres' account can write there. */
function readKnown(home: Home): Known {
  const withDates = (key: string, value: unknown) => (key === 'at' ? new Date(String(value)) : value)
  try {
    const { release, migrations } = JSON.parse(readFileSync(fileOf(home), 'utf8'), withDates) as Known
    return { ...(release && { release }), migrations }
  } catch {
    return { migrations: {} }
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
