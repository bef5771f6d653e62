import pg from 'pg'

/** Anything that runs SQL as the superuser: a client or a pool. */
type Superuser = Pick<pg.Client, 'query'>

const DUPLICATES = new Set(['42710', '42P04', '23505'])

/**
 * Creates the role, or gives an existing one this password. It may only log in, unless it creates databases and roles
 * for others (and may then act as those roles).
 */
export async function ensureRole(
  superuser: Superuser,
  name: string,
  password: string,
  { createsDatabases = false } = {},
): Promise<void> {
  const role = pg.escapeIdentifier(name)
  const rights = createsDatabases ? 'LOGIN CREATEDB CREATEROLE' : 'LOGIN'
  const { rowCount } = await superuser.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name])
  if (rowCount === 0) await unlessThere(superuser.query(`CREATE ROLE ${role}`))
  await superuser.query(`ALTER ROLE ${role} ${rights} PASSWORD ${pg.escapeLiteral(password)}`)
  if (!createsDatabases) return
  const { rows } = await superuser.query<{ version: string }>('SHOW server_version_num')
  const { server_version_num: version } = (rows[0] ?? {}) as { server_version_num?: string }
  // Before 16 a role that creates roles may act as every role without this.
  if (Number(version) >= 160_000) {
    // oxlint-disable-next-line compared-sentences/by-codes -- a value of Postgres.
    await superuser.query(`ALTER ROLE ${role} SET createrole_self_grant = 'set, inherit'`)
  }
}

/** Creates the database, or leaves an existing one unchanged. Only its owner may connect to it. */
export async function ensureDatabase(superuser: Superuser, name: string, owner: string): Promise<void> {
  const database = pg.escapeIdentifier(name)
  const { rowCount } = await superuser.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) {
    await unlessThere(superuser.query(`CREATE DATABASE ${database} OWNER ${pg.escapeIdentifier(owner)}`))
  }
  await superuser.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`)
}

/** Databases that every role may enter by default. */
const SHARED = ['postgres', 'template1']

/** Lets only superusers connect to the databases without an owner of ours. */
export async function closeSharedDatabases(superuser: Superuser): Promise<void> {
  await superuser.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${SHARED.join(', ')} FROM PUBLIC`)
}

/**
 * Lets only superusers create large objects, which have no schema and no quota, in the database that `superuser` is
 * connected to; in `template1`, also in every database created later.
 */
export async function refuseLargeObjects(superuser: Superuser): Promise<void> {
  await superuser.query(
    'REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC',
  )
}

/** Removes the database with everything in it; those connected to it are disconnected. */
export async function dropDatabase(superuser: Superuser, name: string): Promise<void> {
  await superuser.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}

/** Removes the role; it must own nothing. */
export async function dropRole(superuser: Superuser, name: string): Promise<void> {
  await superuser.query(`DROP ROLE IF EXISTS ${pg.escapeIdentifier(name)}`)
}

/** The address of another role and database on the same server. */
export function databaseUrl(server: string, database: string, role: string, password: string): string {
  const url = new URL(server)
  url.username = encodeURIComponent(role)
  url.password = encodeURIComponent(password)
  url.pathname = `/${encodeURIComponent(database)}`
  return url.href
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && DUPLICATES.has(error.code ?? ''))) throw error
  }
}
