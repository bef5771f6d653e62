import {
  closeSharedDatabases,
  ensureDatabase,
  ensureRole,
  refuseLargeObjects,
} from '@windlass/postgres/databases.ts'
import { endFrozen } from '@windlass/service/postgres/frozen.ts'
import { requireSupportedPostgres } from '@windlass/service/postgres/postgres-version.ts'
import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import pg from 'pg'
import type { Variables } from './base-env.ts'
import { rolePassword, type Settings } from './settings.ts'

/** Roles that get a connection while all others are in use: nothing pays, starts or stops without them. */
const MUST_GO_ON: readonly string[] = ['windlass_signer', 'windlass_secrets_store', 'windlass_control_plane']

/** Postgres 15 reserves none. */
async function reserveConnections(pool: pg.Pool, role: string): Promise<void> {
  const { rowCount } = await pool.query(
    "SELECT 1 FROM pg_roles WHERE rolname = 'pg_use_reserved_connections'",
  )
  if (rowCount === 1) await pool.query(`GRANT pg_use_reserved_connections TO ${pg.escapeIdentifier(role)}`)
}

/** Creates the stack's missing databases, each with its own role. */
export async function ensureDatabases(
  superuserUrl: string,
  databases: Settings['databases'],
  variables: Variables,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: withSearchPath(superuserUrl), max: databases.length || 1 })
  // The pool replaces a connection that breaks while idle; one in use fails its query.
  pool.on('error', () => undefined)
  endFrozen(pool)
  try {
    await requireSupportedPostgres(pool)
    await Promise.all(
      databases.map(async database => {
        const { name } = database
        const createsDatabases = 'createsDatabases' in database
        await ensureRole(pool, name, rolePassword(variables, name), { createsDatabases })
        await ensureDatabase(pool, name, name)
        if (MUST_GO_ON.includes(name)) await reserveConnections(pool, name)
      }),
    )
    await closeSharedDatabases(pool)
    const { rows } = await pool.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datallowconn',
    )
    for (const { datname } of rows) await inDatabase(superuserUrl, datname, refuseLargeObjects)
  } finally {
    await pool.end()
  }
}

/** Has Postgres write out what it has in memory. */
export async function writeCheckpoint(superuserUrl: string): Promise<void> {
  await inDatabase(superuserUrl, 'postgres', client => client.query('CHECKPOINT'))
}

/** Owns the audit log's tables; nobody logs in as it. */
const AUDIT_OWNER = 'windlass_audit'
/** What the platform's login may do with each. */
const AUDIT_RIGHTS = {
  audit_log: 'SELECT, INSERT',
  audit_head: 'SELECT, UPDATE',
  audit_signature: 'SELECT, INSERT, UPDATE',
}

/**
 * Takes the audit log from the platform's login, which keeps adding and reading entries (ADR 30). Migrations go on as
 * before, except on the log's own tables. Resolves to false where the platform has not made them yet. May run again.
 */
export async function protectAuditLog(
  superuserUrl: string,
  database: string,
  login: string,
): Promise<boolean> {
  return inDatabase(superuserUrl, database, async client => {
    const names = Object.keys(AUDIT_RIGHTS)
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = 'public' AND relkind = 'r' AND relname = ANY($1)`,
      [names],
    )
    if (rowCount !== names.length) return false
    const { rowCount: done } = await client.query(
      "SELECT 1 FROM pg_namespace WHERE nspname = 'public' AND pg_get_userbyid(nspowner) = $1",
      [AUDIT_OWNER],
    )
    if (done === 1) return true
    const { rowCount: there } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [AUDIT_OWNER])
    if (there === 0) await client.query(`CREATE ROLE ${pg.escapeIdentifier(AUDIT_OWNER)} NOLOGIN`)
    await giveAway(client, pg.escapeIdentifier(AUDIT_OWNER), pg.escapeIdentifier(login))
    return true
  })
}

const DEADLOCK = '40P01'
const TRIES = 5

/**
 * The platform may be writing entries now, and locks the tables in another order. No function of the database is called:
 * until the log is protected each is the platform's login's.
 */
async function giveAway(client: pg.Client, owner: string, login: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query('BEGIN')
      // As someone who adds an entry does.
      await client.query(
        'LOCK TABLE public.audit_head, public.audit_log, public.audit_signature IN ACCESS EXCLUSIVE MODE',
      )
      for (const [table, rights] of Object.entries(AUDIT_RIGHTS)) {
        await client.query(`ALTER TABLE public.${table} OWNER TO ${owner}`)
        await client.query(`REVOKE ALL ON public.${table} FROM ${login}, PUBLIC`)
        await client.query(`GRANT ${rights} ON public.${table} TO ${login}`)
      }
      // A schema's owner may drop every table in it, and by default that is the database's owner.
      await client.query(`ALTER SCHEMA public OWNER TO ${owner}`)
      await client.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${login}`)
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      if (tries === TRIES || !(error instanceof pg.DatabaseError && error.code === DEADLOCK)) throw error
    }
  }
}

/** As the superuser, who finds Postgres' own names alone and reads no table of the database: others own what is in it. */
export async function inDatabase<T>(
  superuserUrl: string,
  database: string,
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const address = Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href
  const client = new pg.Client({ connectionString: withSearchPath(address) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}
