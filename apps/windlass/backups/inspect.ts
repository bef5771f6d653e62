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
  const names = await query<{ name: string }>(
    superuserUrl,
    'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1',
  )
  const reports: DatabaseReport[] = []
  for (const { name } of names) {
    if (name !== 'postgres') reports.push(await inspectOne(databaseOf(superuserUrl, name), name))
  }
  return reports
}

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
    // Casting each row to text reads what lies outside of its page too.
    const [found] = await query<{ count: string }>(url, `SELECT count(t::text) FROM ${full} t`)
    rows += Number(found?.count)
  }
  const journal = tables.find(({ table }) => table === 'journal_lines')
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

function databaseOf(superuserUrl: string, name: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${encodeURIComponent(name)}` }).href
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
