import type pg from 'pg'

/** Of statements that are put together again each time, only so many are kept by a connection. */
const MOST = 300
/** `feature_not_supported`: a statement was prepared before a migration changed what it answers. */
const ANSWERS_OTHERWISE = '0A000'

const names = new Map<string, string>()

/**
 * Gives every statement that comes with values a name, so that Postgres parses and plans it once for a connection and
 * not with every request. A table that is changed beneath a connection costs it its names, not its requests.
 */
export function prepareStatements(client: pg.PoolClient): void {
  const send = (...args: unknown[]): Promise<unknown> =>
    Reflect.apply(Reflect.get(Object.getPrototypeOf(client), 'query'), client, args)
  let outdated = false
  const query = (...args: unknown[]) => {
    const [text, values, callback] = args
    const name = typeof text === 'string' && !outdated ? nameOf(text) : undefined
    if (name === undefined || callback !== undefined || !Array.isArray(values) || values.length === 0) {
      return send(...args)
    }
    return send({ name, text, values }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== ANSWERS_OTHERWISE) throw error
      outdated = true
      // Within a transaction there is nothing left to ask.
      return send(...args).catch(() => Promise.reject(error))
    })
  }
  Reflect.set(client, 'query', query)
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST) return known
  const name = `windlass-${names.size}`
  names.set(text, name)
  return name
}
