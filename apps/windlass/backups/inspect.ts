import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import pg from 'pg'

/** The contents of a database in a restored cluster. */
export interface DatabaseReport {
  name: string
  tables: number
  rows: number
  /** Entries in an anchor's journal; null: not a database of an anchor. */
  journalEntries: number | null
}

/**
 * Reads every row of every database, and checks that the lines of each anchor's journal add up to zero in every unit.
 *
 * @throws {Error} naming what is damaged or does not balance
 */
export async function inspectDatabases(superuserUrl: string): Promise<DatabaseReport[]> {
  const reports: DatabaseReport[] = []
  for (const name of await databaseNames(superuserUrl)) {
    if (name !== 'postgres') reports.push(await inspectOne(databaseOf(superuserUrl, name), name))
  }
  return reports
}

/** How far a recovered server has read its log. It keeps that until it stops. */
export async function readLastChange(superuserUrl: string): Promise<{ at: Date | null; lsn: string }> {
  // In whole milliseconds, and not before the change.
  const [found] = await query<{ at: Date | null; lsn: string | null }>(
    superuserUrl,
    `SELECT to_timestamp(ceil(extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000) / 1000) AS at,
       pg_last_wal_replay_lsn()::text AS lsn`,
  )
  return { at: found?.at ?? null, lsn: found?.lsn ?? '0/1' }
}

/** A ledger up to which an anchor had read its payments. */
export interface LastLedger {
  sequence: number
  /** ISO 8601 */
  closedAt: string
}

/** The newest of all anchors; undefined where none has read one. */
export async function readLastLedger(superuserUrl: string): Promise<LastLedger | undefined> {
  let last: LastLedger | undefined
  for (const name of await databaseNames(superuserUrl)) {
    const url = databaseOf(superuserUrl, name)
    const [table] = await query<{ full: string | null }>(url, LEDGER_TABLE)
    if (!table?.full) continue
    const [found] = await query<{ sequence: number; closed: Date }>(
      url,
      `SELECT ledger_sequence AS sequence, ledger_closed_at AS closed FROM ${table.full}
       WHERE ledger_closed_at IS NOT NULL ORDER BY ledger_sequence DESC LIMIT 1`,
    )
    if (found && found.sequence > (last?.sequence ?? 0))
      last = { sequence: found.sequence, closedAt: found.closed.toISOString() }
  }
  return last
}

/** Finds the table that says how far an anchor's database has read the ledger, in the release that made the backup. */
const LEDGER_TABLE = `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS full
  FROM information_schema.columns WHERE table_name = 'observed' AND column_name = 'ledger_closed_at'`

/** Marks every database as restored, so that its services read the ledger before they pay (ADR 37). */
export async function markRestored(superuserUrl: string, at: Date): Promise<void> {
  const names = await query<{ name: string }>(
    superuserUrl,
    'SELECT quote_ident(datname) AS name FROM pg_database WHERE datallowconn AND NOT datistemplate',
  )
  for (const { name } of names) {
    await query(superuserUrl, `ALTER DATABASE ${name} SET windlass.restored_at = '${at.toISOString()}'`)
  }
}

async function inspectOne(url: string, name: string): Promise<DatabaseReport> {
  const tables = await query<{ schema: string; table: string; full: string }>(
    url,
    `SELECT nspname AS schema, relname AS table, quote_ident(nspname) || '.' || quote_ident(relname) AS full
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg_toast%'`,
  )
  let rows = 0
  for (const { full } of tables) {
    // Writing each row as text reads what lies outside of its page too. A cast would be the function of a table's owner.
    const [found] = await query<{ count: string }>(
      url,
      `SELECT count(pg_catalog.record_out(t)) FROM ${full} t`,
    )
    rows += Number(found?.count)
  }
  // The SEP server's login may make a table of that name, with types of its own.
  const journal = tables.find(({ schema, table }) => table === 'journal_lines' && schema !== 'sep')
  const journalEntries = journal ? await checkJournal(url, name, journal.schema) : null
  return { name, tables: tables.length, rows, journalEntries }
}

async function checkJournal(url: string, name: string, schema: string): Promise<number> {
  const at = pg.escapeIdentifier(schema)
  const unbalanced = await query<{ cause: string; unit: string; sum: string }>(
    url,
    `SELECT cause, unit, sum(amount) FROM ${at}.journal_lines JOIN ${at}.journal_entries ON id = entry_id
     GROUP BY cause, unit HAVING sum(amount) <> 0`,
  )
  const [first] = unbalanced
  if (first)
    throw new Error(
      `The journal of ${name} does not balance: ${first.cause} is off by ${first.sum} ${first.unit}.`,
    )
  const [found] = await query<{ count: string }>(url, `SELECT count(*) FROM ${at}.journal_entries`)
  return Number(found?.count)
}

async function databaseNames(superuserUrl: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    superuserUrl,
    'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1',
  )
  return rows.map(({ name }) => name)
}

function databaseOf(superuserUrl: string, name: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${encodeURIComponent(name)}` }).href
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: withSearchPath(url) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
