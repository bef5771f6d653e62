import type pg from 'pg'

/** How many statements get a name: some are built differently on each call. */
const MOST = 400
/** `feature_not_supported`: a statement was prepared before a migration changed what it answers. */
const ANSWERS_OTHERWISE = '0A000'

/** All columns of a table: of these a migration may add one. */
const ALL_COLUMNS = /(?:\b(?:select|distinct|returning)\s+|,\s*|\.)\*/i

/** What cannot be prepared, if it comes without values. */
const SEVERAL = /;/

/**
 * Gives every statement that comes with a list of values a name, so that Postgres parses and plans it once for a connection and
 * not with every request. After a table has changed, the connection no longer names its statements. In a transaction none
 * that asks for all columns gets one: it fails once after a migration added a column, and the transaction with it.
 *
 * @returns for each new connection of one pool
 */
export function preparing(): (client: pg.PoolClient) => void {
  const nameOf = createNames()
  return client => {
    const mayRepeat = () => client.getTransactionStatus() === 'I'
    const isNamed = (text: string) => !SEVERAL.test(text) && (mayRepeat() || !ALL_COLUMNS.test(text))
    prepareStatements(client, text => (isNamed(text) ? nameOf(text) : undefined))
  }
}

function prepareStatements(client: pg.PoolClient, nameOf: (text: string) => string | undefined): void {
  const send = (...args: unknown[]): Promise<unknown> =>
    Reflect.apply(Reflect.get(Object.getPrototypeOf(client), 'query'), client, args)
  let outdated = false
  const query = (...args: unknown[]) => {
    const [text, values, callback] = args
    const name = typeof text === 'string' && !outdated ? nameOf(text) : undefined
    if (name === undefined || callback !== undefined || !Array.isArray(values)) return send(...args)
    return send({ name, text, values }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== ANSWERS_OTHERWISE) throw error
      outdated = true
      // In an aborted transaction the repeat fails too: then the first error counts.
      return send(...args).catch(() => Promise.reject(error))
    })
  }
  Reflect.set(client, 'query', query)
}

function createNames() {
  const names = new Map<string, string>()
  return (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST) return known
    const name = `windlass-${names.size}`
    names.set(text, name)
    return name
  }
}
