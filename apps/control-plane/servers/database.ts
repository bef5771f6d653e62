import pg from 'pg'
import type { Deps } from '../deps.ts'

const SCHEMAS = ['sep', 'business'] as const

/** The name of the anchor's database and role, made from its id alone. */
export const databaseNameOf = (anchorId: string) => `anchor_${anchorId}`

/** The address of one server's schema in the anchor's database. */
export function anchorDatabaseUrl(
  server: string,
  anchorId: string,
  password: string,
  schema?: (typeof SCHEMAS)[number],
): string {
  const url = new URL(server)
  url.username = databaseNameOf(anchorId)
  url.password = password
  url.pathname = `/${databaseNameOf(anchorId)}`
  url.search = schema ? `?options=-csearch_path%3D${schema}` : ''
  return url.href
}

const EXISTS = new Set(['42710', '42P04', '23505'])

/** Creates the anchor's role, database and schemas where they are missing, and sets the role's password. */
export async function ensureAnchorDatabase(
  { anchorDatabases: admin, config }: Pick<Deps, 'anchorDatabases' | 'config'>,
  anchorId: string,
  password: string,
): Promise<void> {
  const name = pg.escapeIdentifier(databaseNameOf(anchorId))
  await ignoreExisting(admin.query(`create role ${name} login`))
  await admin.query(`alter role ${name} login connection limit 40 password ${pg.escapeLiteral(password)}`)
  // Only a member of the owning role may make it the owner.
  await admin.query(`grant ${name} to current_user`)
  await ignoreExisting(admin.query(`create database ${name} owner ${name}`))
  await admin.query(`revoke all on database ${name} from public`)
  const client = new pg.Client({
    connectionString: anchorDatabaseUrl(config.anchorsDatabaseUrl, anchorId, password),
    connectionTimeoutMillis: 5_000,
  })
  await client.connect()
  try {
    for (const schema of SCHEMAS) await ignoreExisting(client.query(`create schema if not exists ${schema}`))
  } finally {
    await client.end()
  }
}

async function ignoreExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!EXISTS.has((error as { code?: string }).code ?? '')) throw error
  }
}

export async function databaseExists(
  { anchorDatabases }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
): Promise<boolean> {
  const name = databaseNameOf(anchorId)
  const { rowCount } = await anchorDatabases.query('select from pg_database where datname = $1', [name])
  return rowCount === 1
}

/** Drops the anchor's database and role where they exist. */
export async function dropAnchorDatabase(
  { anchorDatabases }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
): Promise<void> {
  const name = pg.escapeIdentifier(databaseNameOf(anchorId))
  await anchorDatabases.query(`drop database if exists ${name} with (force)`)
  await anchorDatabases.query(`drop role if exists ${name}`)
}
