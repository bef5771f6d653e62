import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

class Placeholder {
  readonly name: string | symbol
  constructor(name: string | symbol) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_values, name) => new Placeholder(name) })

/**
 * A query that is built once and then sent with each call's values: for what many requests send, where building takes as
 * long as the rest of a small answer.
 *
 * @param build is given placeholders for the values: it passes them on and must not look at them
 */
export function compiled<T, V extends object, R>(
  build: (db: Db<T>, values: V) => Compilable<R>,
): (db: Db<T>, values: V) => Promise<R[]> {
  let query: CompiledQuery<R> | undefined
  return async (db, values) => {
    query ??= build(db, placeholders as V).compile()
    const parameters = query.parameters.map(each =>
      each instanceof Placeholder ? (Reflect.get(values, each.name) as unknown) : each,
    )
    const { rows } = await db.executeQuery<R>({ ...query, parameters })
    return rows
  }
}
