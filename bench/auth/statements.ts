import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A statement as it was sent to Postgres. */
export interface Statement {
  name?: string
  text: string
  values: unknown[]
}

/** What went to Postgres, in order: groups are transactions; a statement outside of one is a group of its own. */
export type Statements = Statement[][]

/** Runs an act that nothing runs beside, and returns what statements it sent. */
export async function recordStatements<T>(
  act: () => Promise<T>,
): Promise<{ answer: T; statements: Statements }> {
  const statements: Statements = []
  let open: Statement[] | null = null
  const note = (statement: Statement) => {
    if (/^\s*(begin|start transaction)/i.test(statement.text)) return void (open = [])
    if (/^\s*(commit|rollback)/i.test(statement.text)) {
      if (open) statements.push(open)
      return void (open = null)
    }
    if (open) open.push(statement)
    else statements.push([statement])
  }
  const sent = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')
  if (!sent) throw new Error('pg.Client has no query of its own')
  const query: (...args: unknown[]) => unknown = sent.value
  Object.defineProperty(pg.Client.prototype, 'query', {
    ...sent,
    value(...args: unknown[]) {
      note(statementOf(args))
      return query.apply(this, args)
    },
  })
  try {
    return { answer: await act(), statements }
  } finally {
    Object.defineProperty(pg.Client.prototype, 'query', sent)
  }
}

function statementOf([first, values]: unknown[]): Statement {
  if (typeof first === 'string') return { text: first, values: Array.isArray(values) ? values : [] }
  const { name, text = '', values: own = [] } = first as Partial<Statement>
  return { ...(name ? { name } : {}), text, values: own }
}

/** Returns a recorded value as another request would send it. */
type Renew = (value: unknown) => unknown

/** Sends the same statements in the same transactions. */
export async function replay(pool: pg.Pool, statements: Statements, renew: Renew): Promise<void> {
  for (const group of statements) {
    const [only] = group
    if (only && group.length === 1) await pool.query(renewed(only, renew))
    else await inTransaction(pool, group, renew)
  }
}

async function inTransaction(pool: pg.Pool, group: readonly Statement[], renew: Renew): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const statement of group) await client.query(renewed(statement, renew))
    await client.query('commit')
  } finally {
    client.release()
  }
}

const renewed = ({ name, text, values }: Statement, renew: Renew): pg.QueryConfig => ({
  ...(name ? { name } : {}),
  text,
  values: values.map(renew),
})

/** For a request with another address: its own ids, hashes and secrets, of the same kind and length. */
export function renewing(
  recorded: { email: string; hash: Buffer },
  email: string,
  hashOf: (email: string) => Buffer,
): Renew {
  const ids = new Map<string, string>()
  return value => {
    if (Buffer.isBuffer(value)) return value.equals(recorded.hash) ? hashOf(email) : randomBytes(value.length)
    if (typeof value !== 'string') return value
    const prefix = /^([a-z]+_)[\w-]{22}$/.exec(value)?.[1]
    if (!prefix) return value.replaceAll(recorded.email, email)
    const id = ids.get(value) ?? prefix + randomBytes(16).toString('base64url')
    ids.set(value, id)
    return id
  }
}
