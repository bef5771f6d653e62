import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { REFUSE_VIEWS } from '@windlass/service/postgres/search-path.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'

/** A table as it is in an export. */
export interface DumpedTable {
  schema: string
  name: string
  /** Within the archive. */
  file: string
  columns: { name: string; type: string }[]
  /** Columns whose values are left out: they are secrets in the clear. */
  omitted: string[]
  rows: number
  /** Hash of the file, in hex. */
  sha256: string
}

const ROWS_AT_ONCE = 1_000
const SECRET = /(^|_)(secret|token|password|private_key)$/

/**
 * Writes every table of a database below `folder`, a file each: one row a line, a JSON object of the columns' values in
 * Postgres' own text form, or null. All tables are as at one moment. The login of a server owns some of them, and may have
 * put a view, a policy, a cast or a name of its own there: nothing of it runs with the rights of who reads.
 */
export async function dumpDatabase(url: string, folder: string): Promise<DumpedTable[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(REFUSE_VIEWS)
    await client.query('set row_security = off')
    await client.query('begin isolation level repeatable read read only')
    const tables: DumpedTable[] = []
    for (const [index, { schema, name }] of (await tablesOf(client)).entries()) {
      const file = isPlain(schema) && isPlain(name) ? `${schema}/${name}` : `other/${index}`
      tables.push(await dumpTable(client, { schema, name, file: `data/${file}.ndjson` }, folder))
    }
    await client.query('commit')
    return tables
  } finally {
    await client.end()
  }
}

/** As every migration names them. Others leave the folder, or take the place of another file. */
const isPlain = (name: string) => /^[a-z][a-z0-9_]*$/.test(name)

async function tablesOf(client: pg.Client): Promise<{ schema: string; name: string }[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    order by 1, 2`)
  return rows
}

async function columnsOf(client: pg.Client, schema: string, name: string) {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [schema, name],
  )
  return rows
}

async function dumpTable(
  client: pg.Client,
  { schema, name, file }: Pick<DumpedTable, 'schema' | 'name' | 'file'>,
  folder: string,
): Promise<DumpedTable> {
  const all = await columnsOf(client, schema, name)
  const columns = all.filter(column => !SECRET.test(column.name))
  const omitted = all.filter(column => SECRET.test(column.name)).map(column => column.name)
  const path = join(folder, file)
  makePrivateFolder(dirname(path))
  const hash = createHash('sha256')
  let rows = 0
  const lines = async function* () {
    for await (const row of rowsOf(client, { schema, name }, columns)) {
      const line = `${row}\n`
      hash.update(line)
      rows++
      yield line
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }))
  return { schema, name, file, columns, omitted, rows, sha256: hash.digest('hex') }
}

async function* rowsOf(
  client: pg.Client,
  { schema, name }: { schema: string; name: string },
  columns: readonly { name: string }[],
): AsyncGenerator<string> {
  const values = columns.map(({ name: column }) => {
    const value = `t.${pg.escapeIdentifier(column)}`
    // As its type writes it. A cast to text may be a function of who owns the type.
    return `${pg.escapeLiteral(column)}, case when num_nulls(${value}) = 0 then format('%s', ${value}) end`
  })
  const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
  // In pieces: a function takes a hundred arguments.
  const parts = chunksOf(values, 40).map(part => `jsonb_build_object(${part.join(', ')})`)
  const row = parts.length > 0 ? parts.join(' || ') : `'{}'::jsonb`
  await client.query(`declare dumped no scroll cursor for select (${row})::text as line from ${from} t`)
  for (;;) {
    const page = await client.query<{ line: string }>(`fetch ${ROWS_AT_ONCE} from dumped`)
    if (page.rows.length === 0) break
    for (const { line } of page.rows) yield line
  }
  await client.query('close dumped')
}

function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}
