import pg from 'pg'
import type { Deps } from '../deps.ts'

const SCHEMAS = ['sep', 'business'] as const

/** The anchor's database and role share this name, found again by the anchor's id alone. */
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

const THERE_ALREADY = new Set(['42710', '42P04', '23505'])

/** Creates the anchor's role, database and schemas, or leaves what is there and sets the role's password. */
export async function ensureAnchorDatabase(
  { anchorDatabases: admin, config }: Pick<Deps, 'anchorDatabases' | 'config'>,
  anchorId: string,
  password: string,
): Promise<void> {
  const name = pg.escapeIdentifier(databaseNameOf(anchorId))
  await unlessThere(admin.query(`create role ${name} login`))
  await admin.query(`alter role ${name} login connection limit 40 password ${pg.escapeLiteral(password)}`)
  // Only a member of the owning role may make it the owner.
  await admin.query(`grant ${name} to current_user`)
  await unlessThere(admin.query(`create database ${name} owner ${name}`))
  await admin.query(`revoke all on database ${name} from public`)
  const client = new pg.Client({
    connectionString: anchorDatabaseUrl(config.anchorsDatabaseUrl, anchorId, password),
    connectionTimeoutMillis: 5_000,
  })
  await client.connect()
  try {
    for (const schema of SCHEMAS) await unlessThere(client.query(`create schema if not exists ${schema}`))
  } finally {
    await client.end()
  }
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!THERE_ALREADY.has((error as { code?: string }).code ?? '')) throw error
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

/** Drops the anchor's database and role with all they hold; nothing happens where they are gone. */
export async function dropAnchorDatabase(
  { anchorDatabases }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
): Promise<void> {
  const name = pg.escapeIdentifier(databaseNameOf(anchorId))
  await anchorDatabases.query(`drop database if exists ${name} with (force)`)
  await anchorDatabases.query(`drop role if exists ${name}`)
}
