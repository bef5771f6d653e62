import type { Slot } from '@windlass/runtimes/runtime.ts'
import { DEAD_PEER_DETECTION } from '@windlass/service/postgres/database.ts'
import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import type { Transaction } from 'kysely'
import pg from 'pg'
import { randomSecret, type SecretReader, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** Each of an anchor's servers has a schema, and a login for each slot. */
type DatabaseLogin = 'sep' | 'business'

/** The name of the anchor's database and of the role that owns it, made from its id alone. */
export const databaseNameOf = (anchorId: string) => `anchor_${anchorId}`

/** The role that has a server's rights. */
const roleOf = (anchorId: string, login: DatabaseLogin) => `${databaseNameOf(anchorId)}_${login}`

/** What a server logs in as. In slot `b` it is a member of the server's role and acts as it from the start of a session. */
const loginOf = (anchorId: string, login: DatabaseLogin, slot: Slot) =>
  slot === 'a' ? roleOf(anchorId, login) : `${roleOf(anchorId, login)}_${slot}`

export interface DatabaseAddress {
  /** Default: the owner, whose password the anchor's servers never have. */
  login?: DatabaseLogin
  /** Default: `a`. */
  slot?: Slot
  /** Where names are looked for. Default: the server's own, and Postgres' own alone for the owner. */
  schema?: DatabaseLogin
  password: string
}

/** The address of an anchor's database for one of its roles. */
export function anchorDatabaseUrl(
  server: string,
  anchorId: string,
  { login, slot = 'a', schema = login, password }: DatabaseAddress,
): string {
  const url = new URL(server)
  url.username = login ? loginOf(anchorId, login, slot) : databaseNameOf(anchorId)
  url.password = password
  url.pathname = `/${databaseNameOf(anchorId)}`
  url.search = login ? `?options=-csearch_path%3D${schema}` : ''
  return login ? url.href : withSearchPath(url.href, schema)
}

interface DatabasePasswords {
  owner: string
  sep: string
  business: string
}

const LOGIN_SECRETS = {
  a: { sep: 'database_sep', business: 'database_business' },
  b: { sep: 'database_sep_b', business: 'database_business_b' },
} as const

/** Created where they are missing: an anchor of an earlier version has the owner's alone. */
export async function databasePasswords(
  { database: { db } }: Deps,
  vault: SecretReader,
  slot: Slot = 'a',
): Promise<DatabasePasswords> {
  const secrets = LOGIN_SECRETS[slot]
  return {
    owner: (await vault.get(db, 'database')).secret,
    sep: (await vault.ensure(db, secrets.sep, randomSecret)).secret,
    business: (await vault.ensure(db, secrets.business, randomSecret)).secret,
  }
}

/** Other passwords for the owner and for the logins of a slot in which nothing runs. They count once the logins are prepared. */
export async function replacePasswords(tx: Transaction<Tables>, vault: Vault, slot: Slot): Promise<void> {
  for (const role of ['database', ...Object.values(LOGIN_SECRETS[slot])] as const) {
    await vault.replace(tx, role, randomSecret)
  }
}

/** Begins the names of the databases that anchors' begin as a copy of, and of their roles. */
export const TEMPLATES = 'windlass_template_'

const UNKNOWN_DATABASE = '3D000'
const EXISTS = new Set(['42710', '42P04', '42P06', '23505'])
const CONNECTIONS = 40

type Given = Pick<Deps, 'anchorDatabases' | 'config'>

/**
 * Creates the anchor's database, its owner and its servers' logins of a slot where they are missing, and sets their
 * passwords. A new database is a copy of the template: true where it is, and is complete.
 * The SEP server's login owns the schema `sep` and may create no other one. The schema `business` belongs to the owner: the
 * business server's login gets its rights there from {@link grantServerRights}.
 */
export async function ensureAnchorDatabase(
  { anchorDatabases: admin, config }: Given,
  anchorId: string,
  passwords: DatabasePasswords,
  slot: Slot = 'a',
  template: string | null = null,
): Promise<boolean> {
  const owner = pg.escapeIdentifier(databaseNameOf(anchorId))
  const sep = pg.escapeIdentifier(roleOf(anchorId, 'sep'))
  const business = pg.escapeIdentifier(roleOf(anchorId, 'business'))
  const roles = [
    [databaseNameOf(anchorId), passwords.owner],
    [loginOf(anchorId, 'sep', slot), passwords.sep],
    [loginOf(anchorId, 'business', slot), passwords.business],
  ] as const
  for (const [name, password] of roles) {
    const role = pg.escapeIdentifier(name)
    await createMissing(admin, ROLE, name, 'login')
    await admin.query(
      `alter role ${role} login connection limit ${CONNECTIONS} password ${pg.escapeLiteral(password)}`,
    )
    // Only a member of a role may make it an owner.
    await admin.query(`grant ${role} to current_user`)
  }
  if (slot !== 'a') {
    for (const server of ['sep', 'business'] as const) {
      const login = pg.escapeIdentifier(loginOf(anchorId, server, slot))
      const role = pg.escapeIdentifier(roleOf(anchorId, server))
      // Missing where the database was restored from a backup.
      await createMissing(admin, ROLE, roleOf(anchorId, server), 'nologin')
      await admin.query(`grant ${role} to current_user`)
      await admin.query(`grant ${role} to ${login}`)
      // What it creates belongs to the role.
      await admin.query(`alter role ${login} set role = ${role}`)
    }
  }
  // The owner reads everything, for exports.
  await admin.query(`grant ${sep} to ${owner}`)
  const isCopied = await createDatabase(admin, databaseNameOf(anchorId), template)
  await admin.query(`revoke all on database ${owner} from public`)
  await admin.query(`grant connect on database ${owner} to ${sep}, ${business}`)
  if (isCopied && template !== null && slot === 'a') {
    await completeCopy(config.anchorsDatabaseUrl, anchorId, template)
    return true
  }
  const url = anchorDatabaseUrl(config.anchorsDatabaseUrl, anchorId, { password: passwords.owner })
  await withClient(url, async client => {
    await takeOver(client, config.anchorsDatabaseUrl, databaseNameOf(anchorId))
    // An earlier release gave it while it prepared, and left it where it failed.
    await client.query(`revoke create on database ${owner} from ${sep}`)
    await createMissing(client, SCHEMA, 'sep', `authorization ${sep}`)
    await createMissing(client, SCHEMA, 'business')
    await giveSchema(client, 'sep', roleOf(anchorId, 'sep'))
  })
  return false
}

/** Its owner's name is its own. A template may have been dropped just now. True: it was copied from the template. */
async function createDatabase(admin: pg.Pool, name: string, template: string | null): Promise<boolean> {
  const owned = `owner ${pg.escapeIdentifier(name)}`
  if (template !== null) {
    try {
      return await createMissing(admin, DATABASE, name, `${owned} template ${pg.escapeIdentifier(template)}`)
    } catch (error) {
      if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error
    }
  }
  await createMissing(admin, DATABASE, name, owned)
  return false
}

/** All or nothing, over one connection: each one to a new database has Postgres read its catalog. Nobody else was in it yet. */
async function completeCopy(server: string, anchorId: string, template: string): Promise<void> {
  const name = databaseNameOf(anchorId)
  const [owner, sep] = [pg.escapeIdentifier(name), pg.escapeIdentifier(roleOf(anchorId, 'sep'))]
  const statements = [
    giveCopy(template, name),
    `create schema sep authorization ${sep}`,
    `set role ${owner}`,
    'set search_path = business',
    `select grant_server_rights(${pg.escapeLiteral(roleOf(anchorId, 'business'))})`,
  ]
  await withDatabase(server, name, admin => admin.query(statements.join(';')))
}

/** Both or neither. The schema first: a function's new owner must have rights in it. */
function giveCopy(template: string, name: string): string {
  const [from, to] = [pg.escapeIdentifier(template), pg.escapeIdentifier(name)]
  return `alter schema business owner to ${to}; reassign owned by ${from} to ${to}`
}

/** Gives the owner of a database what came with its template, which neither it nor the template's role may. */
async function takeOver(owner: pg.Client, server: string, name: string): Promise<void> {
  const { rows } = await owner.query<{ role: string }>(
    `select pg_get_userbyid(nspowner) as role from pg_namespace where nspname = 'business'
       and starts_with(pg_get_userbyid(nspowner), $1)`,
    [TEMPLATES],
  )
  for (const { role } of rows) {
    await withDatabase(server, name, admin => admin.query(giveCopy(role, name)))
  }
}

/** Gives a role a schema and what is in it, as far as they are the database's owner's: those of anchors of an earlier version. */
async function giveSchema(client: pg.Client, schema: string, role: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter schema %I owner to %I', nspname, $2::text) as statement from pg_namespace n
       where nspname = $1 and pg_get_userbyid(nspowner) = current_user
     union all
     select format('alter %s %I.%I owner to %I', case relkind when 'v' then 'view' else 'table' end, $1, relname, $2)
       from pg_class c join pg_namespace n on n.oid = relnamespace
       where nspname = $1 and relkind in ('r', 'p', 'v') and pg_get_userbyid(relowner) = current_user
     union all
     select format('alter function %s owner to %I', p.oid::regprocedure, $2)
       from pg_proc p join pg_namespace n on n.oid = pronamespace
       where nspname = $1 and pg_get_userbyid(proowner) = current_user`,
    [schema, role],
  )
  for (const { statement } of rows) await client.query(statement)
}

/**
 * Gives the business server's login its rights on the tables as they are now: the function that its migrations create
 * says which. Called as the owner after each migration.
 */
export async function grantServerRights(owner: pg.Client, anchorId: string): Promise<void> {
  await owner.query('select grant_server_rights($1)', [roleOf(anchorId, 'business')])
}

/**
 * Gives the business server's login rights on tables that migrations create from now on: where a trigger writes such a table, the
 * server of the release before does so at once, and continues where a later migration fails. {@link grantServerRights} narrows them.
 */
export async function grantNewTables(owner: pg.Client, anchorId: string): Promise<void> {
  const server = pg.escapeIdentifier(roleOf(anchorId, 'business'))
  await owner.query(
    `alter default privileges in schema business grant select, insert, update, delete on tables to ${server}`,
  )
}

/** Which migrations the schema `business` is known to have; null: it is not known. A copy has the template's. */
export async function readMigrations(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ migrations: string | null }>(
    "select obj_description(to_regnamespace('business')::oid, 'pg_namespace') as migrations",
  )
  return rows[0]?.migrations ?? null
}

/** Called as the owner once they are applied. */
export async function markMigrations(owner: pg.Client, migrations: string): Promise<void> {
  await owner.query(`comment on schema business is ${pg.escapeLiteral(migrations)}`)
}

/** Nobody logs in by a slot's logins any more. */
export async function endLogins(
  { anchorDatabases: admin }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
  slot: Slot,
): Promise<void> {
  for (const server of ['sep', 'business'] as const) {
    const login = loginOf(anchorId, server, slot)
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [login])
    if (rowCount === 1) await admin.query(`alter role ${pg.escapeIdentifier(login)} nologin password null`)
  }
}

/** Closes every connection to the anchor's database that its owner or a server opened. */
export async function endSessions(
  { anchorDatabases }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
): Promise<void> {
  const owner = databaseNameOf(anchorId)
  const logins = (['a', 'b'] as const).flatMap(slot => [
    loginOf(anchorId, 'sep', slot),
    loginOf(anchorId, 'business', slot),
  ])
  await anchorDatabases.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = any($2)',
    [owner, [owner, ...logins]],
  )
}

export async function withClient<T>(
  connectionString: string,
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, ...DEAD_PEER_DETECTION })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}

/** Connects as who may create databases to one of those on the server. */
export const withDatabase = <T>(server: string, name: string, act: (client: pg.Client) => Promise<T>) =>
  withClient(withSearchPath(Object.assign(new URL(server), { pathname: `/${name}` }).href), act)

const ROLE = { kind: 'role', catalog: 'pg_roles', column: 'rolname' } as const
const DATABASE = { kind: 'database', catalog: 'pg_database', column: 'datname' } as const
const SCHEMA = { kind: 'schema', catalog: 'pg_namespace', column: 'nspname' } as const

/** Looks first: Postgres writes what it refuses into its log as an error. Another control plane may be as fast. True: created here. */
async function createMissing(
  client: Pick<pg.Client | pg.Pool, 'query'>,
  { kind, catalog, column }: typeof ROLE | typeof DATABASE | typeof SCHEMA,
  name: string,
  options = '',
): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${catalog} where ${column} = $1`, [name])
  if (rowCount === 1) return false
  try {
    await client.query(`create ${kind} ${pg.escapeIdentifier(name)} ${options}`)
    return true
  } catch (error) {
    if (!EXISTS.has((error as { code?: string }).code ?? '')) throw error
    return false
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

/** Drops the anchor's database and roles where they exist. */
export async function dropAnchorDatabase(
  { anchorDatabases }: Pick<Deps, 'anchorDatabases'>,
  anchorId: string,
): Promise<void> {
  const owner = databaseNameOf(anchorId)
  await anchorDatabases.query(`drop database if exists ${pg.escapeIdentifier(owner)} with (force)`)
  const logins = (['b', 'a'] as const).flatMap(slot =>
    (['sep', 'business'] as const).map(server => loginOf(anchorId, server, slot)),
  )
  for (const role of [...logins, owner]) {
    await anchorDatabases.query(`drop role if exists ${pg.escapeIdentifier(role)}`)
  }
}
