import { REFUSE_VIEWS, withSearchPath } from '@windlass/service/postgres/search-path.ts'
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
    if (name === 'postgres') continue
    reports.push(await reading(databaseOf(superuserUrl, name), client => inspectOne(client, name)))
  }
  return reports
}

/** How far a recovered server has read its log. It keeps that until it stops. */
export async function readLastChange(superuserUrl: string): Promise<{ at: Date | null; lsn: string }> {
  // In whole milliseconds, and not before the change.
  const { rows } = await reading(superuserUrl, client =>
    client.query<{ at: Date | null; lsn: string | null }>(
      `SELECT to_timestamp(ceil(extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000) / 1000) AS at,
         pg_last_wal_replay_lsn()::text AS lsn`,
    ),
  )
  return { at: rows[0]?.at ?? null, lsn: rows[0]?.lsn ?? '0/1' }
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
  for (const name of (await databaseNames(superuserUrl)).filter(isOfAnchor)) {
    const found = await reading(databaseOf(superuserUrl, name), readOneLedger)
    if (found && found.sequence > (last?.sequence ?? 0)) last = found
  }
  return last
}

async function readOneLedger(client: pg.Client): Promise<LastLedger | undefined> {
  // The release that made the backup may not have it yet.
  if (!(await hasColumns(client, 'observed', ['ledger_sequence', 'ledger_closed_at']))) return undefined
  const { rows } = await client.query<{ sequence: number; closed: Date }>(
    `SELECT ledger_sequence AS sequence, ledger_closed_at AS closed FROM business.observed
     WHERE ledger_closed_at IS NOT NULL ORDER BY ledger_sequence DESC LIMIT 1`,
  )
  return rows[0] && { sequence: rows[0].sequence, closedAt: rows[0].closed.toISOString() }
}

/**
 * Only the control plane makes databases of such a name, and in their schema `business` only their owner makes tables, whose
 * password no server has. Everything else is made by logins that may be stolen.
 */
const isOfAnchor = (database: string) => database.startsWith('anchor_')

/** Whether the schema `business` has such a table, and not a view. */
async function hasColumns(client: pg.Client, table: string, columns: readonly string[]): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = 'business' AND relkind = 'r' AND relname = $1 AND attname = ANY($2) AND NOT attisdropped`,
    [table, columns],
  )
  return rowCount === columns.length
}

/** Marks every database as restored, so that its services read the ledger before they pay (ADR 37). */
export async function markRestored(superuserUrl: string, at: Date): Promise<void> {
  await reading(superuserUrl, async client => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT quote_ident(datname) AS name FROM pg_database WHERE datallowconn AND NOT datistemplate',
    )
    for (const { name } of rows)
      await client.query(`ALTER DATABASE ${name} SET windlass.restored_at = '${at.toISOString()}'`)
  })
}

async function inspectOne(client: pg.Client, name: string): Promise<DatabaseReport> {
  const { rows: tables } = await client.query<{ full: string }>(
    `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS full
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg_toast%'`,
  )
  let rows = 0
  for (const { full } of tables) {
    // Writing each row as text reads what lies outside of its page too. A cast would be the function of a table's owner.
    const { rows: found } = await client.query<{ count: string }>(
      `SELECT count(pg_catalog.record_out(t.*)) FROM ${full} t`,
    )
    rows += Number(found[0]?.count)
  }
  const hasJournal = isOfAnchor(name) && (await hasColumns(client, 'journal_lines', ['entry_id']))
  const journalEntries = hasJournal ? await checkJournal(client, name) : null
  return { name, tables: tables.length, rows, journalEntries }
}

async function checkJournal(client: pg.Client, name: string): Promise<number> {
  const { rows: unbalanced } = await client.query<{ cause: string; unit: string; sum: string }>(
    `SELECT cause, unit, sum(amount) FROM business.journal_lines JOIN business.journal_entries ON id = entry_id
     GROUP BY cause, unit HAVING sum(amount) <> 0`,
  )
  const [first] = unbalanced
  if (first)
    throw new Error(
      `The journal of ${name} does not balance: ${first.cause} is off by ${first.sum} ${first.unit}.`,
    )
  const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM business.journal_entries')
  return Number(rows[0]?.count)
}

async function databaseNames(superuserUrl: string): Promise<string[]> {
  const { rows } = await reading(superuserUrl, client =>
    client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1',
    ),
  )
  return rows.map(({ name }) => name)
}

function databaseOf(superuserUrl: string, name: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${encodeURIComponent(name)}` }).href
}

/** As the superuser, for whom no view runs, also where someone puts one in a table's place meanwhile. */
async function reading<T>(url: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: withSearchPath(url) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(REFUSE_VIEWS)
    return await act(client)
  } finally {
    await client.end()
  }
}
