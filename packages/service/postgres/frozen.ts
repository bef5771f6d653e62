import pg from 'pg'

/** A query under way for so long makes us look whether Postgres still answers. */
const LOOK_AFTER_MS = 5_000
const ANSWER_WITHIN_MS = 3_000

/**
 * Ends the connections of a Postgres that no longer does anything: its machine or its processes stand still, the sockets
 * stay open, and no timeout of its own runs. Queries under way then fail as with a lost connection, after eight seconds. One
 * that merely takes long continues: a new connection is answered beside it.
 */
export function endFrozen(pool: pg.Pool): void {
  let look: Promise<boolean> | null = null
  const answers = (): Promise<boolean> => (look ??= isAnswering(pool).finally(() => (look = null)))
  pool.on('connect', client => {
    const send: (...args: unknown[]) => unknown = client.query.bind(client)
    Reflect.set(client, 'query', (...args: unknown[]) => {
      const sent = send(...args)
      if (!(sent instanceof Promise)) return sent
      const look = async (): Promise<void> => {
        if (!(await answers())) client.connection.stream.destroy()
      }
      const looks = setInterval(() => void look(), LOOK_AFTER_MS).unref()
      const over = (): void => clearInterval(looks)
      void sent.then(over, over)
      return sent
    })
  })
}

/** Whether a new connection is answered, be it by a refusal. */
async function isAnswering({ options }: pg.Pool): Promise<boolean> {
  const { connectionString, user, password, host, port, database, ssl } = options
  const client = new pg.Client({
    ...{ connectionString, user, password, host, port, database, ssl },
    application_name: 'look',
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    client.connection.stream.destroy()
  }
}
