import { sql, type RawBuilder } from 'kysely'
import type { Db } from './database.ts'

/** A query of one value, and how it is read. The value comes as JSON: amounts must be text, and times are. */
export interface Scalar<T> {
  query: RawBuilder<unknown>
  read(value: unknown): T
}

/** @param read gets null where there is no row */
export const scalar = <V, T>(query: RawBuilder<V>, read: (value: V) => T): Scalar<T> => ({
  query,
  read: value => read(value as V),
})

/** All rows of a query. */
export const rowsOf = <Row>(query: RawBuilder<unknown>): Scalar<Row[]> =>
  scalar(sql<Row[] | null>`select json_agg(rows) from (${query}) as rows`, rows => rows ?? [])

/** Several in one query. */
export function together<T extends Record<string, unknown>>(parts: {
  [Name in keyof T]: Scalar<T[Name]>
}): Scalar<T> {
  const entries: [string, Scalar<unknown>][] = Object.entries(parts)
  const pairs = entries.map(([name, { query }]) => sql`${sql.lit(name)}, (${query})`)
  return scalar<Record<string, unknown>, T>(
    sql`select json_build_object(${sql.join(pairs)})`,
    values => Object.fromEntries(entries.map(([name, { read }]) => [name, read(values[name])])) as T,
  )
}

export async function readScalar<T, Tables>(db: Db<Tables>, { query, read }: Scalar<T>): Promise<T> {
  const { rows } = await sql<{ value: unknown }>`select to_json((${query})) as value`.execute(db)
  return read(rows[0]?.value ?? null)
}
