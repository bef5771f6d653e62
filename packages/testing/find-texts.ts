import pg from 'pg'

/**
 * Finds readable copies of the texts in a database, in any schema and table: `schema.table.column: text`. Searches
 * bytes too, raw and in base64.
 */
export async function findTexts(databaseUrl: string, texts: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    if (tables.length === 0) throw new Error('the database has no tables')
    const found = new Set<string>()
    for (const { schema, name } of tables) {
      const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
      const { rows } = await client.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) as row from ${from} t`,
      )
      for (const { row } of rows) {
        for (const [column, value] of Object.entries(row)) {
          for (const text of textsIn(JSON.stringify(value), texts)) {
            found.add(`${schema}.${name}.${column}: ${text}`)
          }
        }
      }
    }
    return [...found].sort()
  } finally {
    await client.end()
  }
}

/** The texts that the content holds raw, in hexadecimal or in base64. */
export const textsIn = (content: string, texts: readonly string[]): string[] =>
  texts.filter(text => formsOf(text).some(form => content.includes(form)))

/** Base64 depends on a text's offset within three bytes: for each offset, the part that only its own bytes determine. */
function formsOf(text: string): string[] {
  const inBase64 = [0, 1, 2].map(offset => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
    return whole.slice(offset === 0 ? 0 : 4)
  })
  return [text, Buffer.from(text).toString('hex'), ...inBase64]
}
