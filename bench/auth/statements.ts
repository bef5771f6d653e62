import pg from 'pg'

/** What went to Postgres, in order: groups are transactions; a statement outside of one is a group of its own. */
export type Statements = ('read' | 'write')[][]

/** Runs an act that nothing runs beside, and tells what statements it sent. */
export async function recordStatements<T>(
  act: () => Promise<T>,
): Promise<{ answer: T; statements: Statements }> {
  const statements: Statements = []
  let open: Statements[number] | null = null
  const note = (text: string) => {
    if (/^\s*(begin|start transaction)/i.test(text)) return void (open = [])
    if (/^\s*(commit|rollback)/i.test(text)) {
      if (open) statements.push(open)
      return void (open = null)
    }
    const kind = /^\s*select/i.test(text) ? 'read' : 'write'
    if (open) open.push(kind)
    else statements.push([kind])
  }
  const sent = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')
  if (!sent) throw new Error('pg.Client has no query of its own')
  const query: (...args: unknown[]) => unknown = sent.value
  Object.defineProperty(pg.Client.prototype, 'query', {
    ...sent,
    value(...args: unknown[]) {
      const [first] = args
      note(typeof first === 'string' ? first : String((first as { text?: string }).text))
      return query.apply(this, args)
    },
  })
  try {
    return { answer: await act(), statements }
  } finally {
    Object.defineProperty(pg.Client.prototype, 'query', sent)
  }
}

const READ = { name: 'bench-read', text: 'select id, body from bench_rows where id = $1', values: [1] }
const WRITE = { name: 'bench-write', text: 'insert into bench_rows (body) values ($1)', values: ['a row'] }
const statementOf = (kind: 'read' | 'write' | undefined): pg.QueryConfig => (kind === 'read' ? READ : WRITE)

/** Sends as many of each kind in the same transactions. */
export async function replay(pool: pg.Pool, statements: Statements): Promise<void> {
  for (const group of statements) {
    if (group.length === 1) await pool.query(statementOf(group[0]))
    else await inTransaction(pool, group)
  }
}

async function inTransaction(pool: pg.Pool, group: Statements[number]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const kind of group) await client.query(statementOf(kind))
    await client.query('commit')
  } finally {
    client.release()
  }
}
