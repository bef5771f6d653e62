import { CompiledQuery, Kysely, PostgresDialect, sql, type PostgresPool, type Transaction } from 'kysely'
import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { listApplied, listMigrations, OWN_RELEASE, requireKnown } from './applied-migrations.ts'
import { endFrozen } from './frozen.ts'
import { requireSupportedPostgres } from './postgres-version.ts'
import { preparing } from './prepared-statements.ts'
import { takeTurns } from './turns.ts'

/** A database or a transaction in it: what every query takes first. */
export type Db<T> = Kysely<T> | Transaction<T>

export interface Database<T> {
  db: Kysely<T>
  pool: pg.Pool
  url: string
  /** What the pool's connections listen to. */
  channels: readonly string[]
  /** Notifications of `channels`; null after a connection: some may have been missed. */
  notifications: EventEmitter<{ received: [channel: string | null] }>
  close(): Promise<void>
}

interface DatabaseOptions {
  /** Shown in pg_stat_activity. */
  name: string
  max?: number
  onError?: (error: Error) => void
  /** Prepares statements, see `preparing`: for services whose requests are many and their statements few. */
  prepared?: boolean
  /**
   * Channels that the pool's own connections listen to. The last one stays open; while all are lost, nothing is received
   * until the next query, so a listener has to look from time to time as well.
   */
  channels?: readonly string[]
}

/** How long a connection may be idle; of a pool that keeps one open the others soon go. */
const IDLE_MS = 30_000
const IDLE_BESIDE_ONE_MS = 2_000
/** How long a query of such a pool waits for a connection that is busy before another one is opened. */
const SHARED_WITHIN_MS = 20
/** More waits than an idle server has: then several connections do more than one, and queries no longer wait. */
const SHARED_A_SECOND = 50
/**
 * For connections whose other end may disappear without closing them. The server ends the session of such a client within
 * half a minute: with its default settings it keeps the session, and its locks, for hours. At this end the operating system
 * finds a dead connection while it is idle.
 */
export const DEAD_PEER_DETECTION = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 15_000,
  // Other systems' servers lack the last one, and would say so in their log for each connection.
  ...(process.platform === 'linux'
    ? {
        options:
          '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000',
      }
    : {}),
}

/**
 * A pool and Kysely over it. `numeric` and `int8` come as strings (money is bigint in code), `timestamptz` as
 * `Date`. A connection that dies while idle is replaced, never thrown.
 */
export function openDatabase<T>(url: string, options: DatabaseOptions): Database<T> {
  const { channels = [] } = options
  const notifications: Database<T>['notifications'] = new EventEmitter()
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.name,
    max: options.max ?? 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    ...DEAD_PEER_DETECTION,
    ...(channels.length > 0
      ? {
          min: 1,
          idleTimeoutMillis: IDLE_BESIDE_ONE_MS,
          // pg waits for it, which its types do not say.
          onConnect: subscriber(channels, notifications) as (client: pg.ClientBase) => void,
        }
      : { idleTimeoutMillis: IDLE_MS }),
  })
  pool.on('error', error => options.onError?.(error))
  // A connection may die while a transaction holds it: its next query throws, and this event needs a listener.
  pool.on('connect', client => client.on('error', () => undefined))
  if (options.prepared) pool.on('connect', preparing())
  endFrozen(pool)
  takeTurns(pool)
  const shared = channels.length > 0 ? sharing(pool) : pool
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool: shared }) })
  return { db, pool, url, channels, notifications, close: () => db.destroy() }
}

/** Subscribes the connections of a pool. Where another one listens all the time, nothing is missed. */
function subscriber(
  channels: readonly string[],
  notifications: Database<never>['notifications'],
): (client: pg.ClientBase) => Promise<void> {
  let listening = 0
  return async client => {
    client.on('notification', ({ channel }) => notifications.emit('received', channel))
    await client.query(channels.map(channel => `listen ${pg.escapeIdentifier(channel)}`).join(';'))
    listening += 1
    client.once('end', () => (listening -= 1))
    if (listening === 1) notifications.emit('received', null)
  }
}

/**
 * An idle server looks at the database several times at once and then not for half a minute: the looks take turns
 * on one connection, because opening another one costs as much as many of them.
 */
function sharing(pool: pg.Pool): PostgresPool {
  const waiting = new Set<() => void>()
  let [since, waits] = [-Infinity, 0]
  pool.on('release', () => {
    const [first] = waiting
    if (!first) return
    waiting.delete(first)
    first()
  })
  const isBusy = ({ idleCount, waitingCount, totalCount, options } = pool) =>
    idleCount <= waitingCount && totalCount > 0 && totalCount < options.max
  const mayWait = (): boolean => {
    const now = performance.now()
    if (now - since >= 1_000) [since, waits] = [now, 0]
    return ++waits <= SHARED_A_SECOND
  }
  const untilReleased = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, SHARED_WITHIN_MS)
    waiting.add(resolve)
    await promise
    clearTimeout(timer)
    waiting.delete(resolve)
  }
  return {
    options: pool.options,
    connect: async () => {
      if (isBusy() && mayWait()) await untilReleased()
      return pool.connect()
    },
    end: () => pool.end(),
  }
}

/** A health check: the database answers. */
export async function pingDatabase(database: Database<never> | { pool: pg.Pool }): Promise<void> {
  await database.pool.query('select 1')
}

/** The database's own time, for leases and expiry that several machines must agree on. */
export async function databaseTime<T>(db: Db<T>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database returned no time')
  return row.now
}

/** The tables that `outbox.ts`, `idempotency.ts` and `rates.ts` need. */
export const sharedMigrations = fileURLToPath(new URL('../migrations/', import.meta.url))

interface Migrating {
  /** What this release can do with a database, which may refuse releases that do not say it. */
  knows?: string
  /** A newer release began to take over, and did not: both may use the database. */
  mayBeNewer?: boolean
}

/**
 * Applies `NNNN-name.sql` files forward-only, each once, in a transaction, under a lock that other processes
 * wait for. Throws where a file that was applied has been edited since, and where Postgres is too old.
 *
 * @throws {NewerDatabaseError} where files were applied that this release does not have (ADR 131)
 */
export async function migrate(
  pool: pg.Pool,
  folders: readonly string[],
  { knows = '', mayBeNewer = false }: Migrating = {},
): Promise<void> {
  const client = await pool.connect()
  try {
    await requireSupportedPostgres(client)
    // Neither a long migration nor waiting for another process's is a statement that hangs.
    await client.query('set statement_timeout = 0')
    await client.query("select set_config('windlass.knows', $1, false)", [knows])
    await client.query('select pg_advisory_lock(727001)')
    await ensureMigrationsTable(client)
    const known = await Promise.all(folders.map(listMigrations))
    if (!mayBeNewer) requireKnown(await listApplied(client), known.flat())
    for (const folder of folders) await applyFolder(client, folder)
    await client.query('select pg_advisory_unlock(727001)')
    await client.query('reset statement_timeout')
    client.release()
  } catch (error) {
    // The connection goes, and with it its lock.
    client.release(true)
    throw error
  }
}

/** A role that cannot create tables can still check that they are current. */
async function ensureMigrationsTable(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  )
  if (rows[0]?.exists) return
  await client.query(
    'create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  )
}

async function applyFolder(client: pg.PoolClient, folder: string): Promise<void> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations',
  )
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  for (const file of await listMigrations(folder)) {
    // At once: in a server that starts, a hundred turns of a busy event loop take ten times as long.
    const text = readFileSync(`${folder.replace(/\/$/, '')}/${file}`, 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const before = applied.get(file)
    if (before === sha256) continue
    if (before) throw new Error(`migration ${file} was edited after it had been applied`)
    await applyFile(client, file, text, sha256)
  }
}

/** Postgres' code for a transaction that it ended since it and another one waited for each other. */
const DEADLOCK = '40P01'
/** So often a migration begins again that waited for what servers of the release before hold, and they for what it holds. */
const MOST_TRIES = 10

async function applyFile(
  client: pg.PoolClient,
  file: string,
  text: string,
  sha256: string,
  tries = 1,
): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('alter table schema_migrations add column if not exists release text')
    await client.query('insert into schema_migrations (name, sha256, release) values ($1, $2, $3)', [
      ...[file, sha256, OWN_RELEASE],
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    if ((error as { code?: unknown }).code === DEADLOCK && tries < MOST_TRIES)
      return applyFile(client, file, text, sha256, tries + 1)
    throw new Error(`migration ${file} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Postgres' code for a broken unique constraint, and which one. */
export function brokenUnique(error: unknown): string | null {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && typeof constraint === 'string' ? constraint : null
}

/** Notifies listeners on a channel once the surrounding transaction commits. */
export async function notify<T>(db: Db<T>, channel: string, payload: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('select pg_notify($1, $2)', [channel, payload]))
}
