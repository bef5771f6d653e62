import type pg from 'pg'
import { ConfigError } from '../process/env.ts'
import { createSealer } from './seal.ts'

/** A column of texts that a keyring encrypts: bytes of {@link createSealer}. */
export interface SealedColumn<Key extends string = string> {
  table: string
  column: string
  /** The columns that tell its rows apart, from which the context follows. */
  key: readonly Key[]
  contextOf(row: Readonly<Record<Key, string>>): string
  /** The condition in SQL for rows of a column of text that have the bytes, as base64. */
  base64Where?: string
  /** Where an earlier release wrote the text itself: each column, with the SQL of its value when nothing is in it. */
  plain?: {
    columns: Readonly<Record<string, string>>
    textOf(row: Readonly<Record<string, string | null>>): string
  }
  /** What is still needed of a text; null: nothing. By default all of it. */
  keep?(text: string): string | null
}

/** Declares a column. Its app lists it in `sealed-columns.ts`, and a test looks for columns that are not listed. */
export const sealedColumn = <const Key extends string>(column: SealedColumn<Key>): SealedColumn => column

type Queries = Pick<pg.Pool, 'query'>
type Keys = ReadonlyMap<number, Buffer>
type Row = Record<string, string> & { sealed: Buffer | null }

/**
 * Encrypts again what older keys of a keyring encrypted, so that these may be removed, and what an earlier release wrote in
 * plain text. Several processes may do it at once, beside others who write, move or remove a value: a row is only written
 * as it was read, and what changed meanwhile was encrypted by the newest key. Resolves to how many texts there were.
 *
 * @param setting name of the keyring
 * @throws {ConfigError} before anything is changed, where a key is missing that is still needed.
 * @throws {Error} after all others, where a value cannot be decrypted.
 */
export async function sealAgain(
  pool: Queries,
  setting: string,
  keys: Keys,
  columns: readonly SealedColumn[],
): Promise<number> {
  for (const column of columns) await requireKeys(pool, setting, keys, column)
  const failed: Error[] = []
  let count = 0
  for (const column of columns)
    for await (const key of keysOfOlder(pool, keys, column))
      count += await sealRow(pool, keys, column, key).catch((cause: unknown) => {
        failed.push(
          new Error(`a value of ${column.table}.${column.column} is not encrypted again`, { cause }),
        )
        return 0
      })
  if (failed[0]) throw failed[0]
  return count
}

const bytesOf = ({ column, base64Where }: SealedColumn): string =>
  base64Where ? `(case when ${base64Where} then decode(${column}, 'base64') end)` : column

async function requireKeys(pool: Queries, setting: string, keys: Keys, column: SealedColumn): Promise<void> {
  const { rows } = await pool.query<{ version: number; count: number }>(
    `select get_byte(${bytesOf(column)}, 0) as version, count(*)::int as count from ${column.table}
     where ${bytesOf(column)} is not null group by 1 order by 1`,
  )
  const missing = rows.find(({ version }) => !keys.has(version))
  if (missing) {
    throw new ConfigError(
      `${setting} lacks v${missing.version}, which ${missing.count} rows of ${column.table} need: put it back behind the new one`,
    )
  }
}

const AT_ONCE = 500

/** The condition in SQL for what the newest key, the first parameter, does not encrypt. */
function isOlder(column: SealedColumn): string {
  const plain = Object.entries(column.plain?.columns ?? {}).map(
    ([name, empty]) => `(${bytesOf(column)} is null and ${name} is distinct from ${empty})`,
  )
  return `(${[`get_byte(${bytesOf(column)}, 0) <> $1`, ...plain].join(' or ')})`
}

/** The keys of rows that the newest key does not encrypt, in their order. */
async function* keysOfOlder(pool: Queries, keys: Keys, column: SealedColumn): AsyncGenerator<unknown[]> {
  const [newest = 0] = keys.keys()
  const names = column.key.join(', ')
  for (let last: unknown[] | null = null; ;) {
    const isLater: string | null =
      last && `and (${names}) > (${last.map((_, index) => `$${index + 2}`).join(', ')})`
    const { rows }: pg.QueryResult<Record<string, unknown>> = await pool.query(
      `select ${names} from ${column.table} where ${isOlder(column)} ${isLater ?? ''} order by ${names} limit ${AT_ONCE}`,
      [newest, ...(last ?? [])],
    )
    const found: unknown[][] = rows.map(row => column.key.map(name => row[name]))
    yield* found
    last = found.at(-1) ?? null
    if (found.length < AT_ONCE) return
  }
}

async function sealRow(
  pool: Queries,
  keys: Keys,
  column: SealedColumn,
  key: readonly unknown[],
): Promise<number> {
  const [newest = 0] = keys.keys()
  const sealer = createSealer(new Map(keys))
  const plain = Object.entries(column.plain?.columns ?? {})
  const isIt = column.key.map((name, index) => `${name} = $${index + 2}`).join(' and ')
  const read = [...column.key, ...plain.map(([name]) => `${name}::text`), `${bytesOf(column)} as sealed`]
  const { rows } = await pool.query<Row>(
    `select ${read.join(', ')} from ${column.table} where ${isIt} and ${isOlder(column)}`,
    [newest, ...key],
  )
  const [row] = rows
  if (!row) return 0
  const context = column.contextOf(row)
  const text = row.sealed ? sealer.open(row.sealed, context) : (column.plain?.textOf(row) ?? '')
  const kept = column.keep ? column.keep(text) : text
  const stored = (bytes: Buffer | null) => (column.base64Where ? bytes?.toString('base64') : bytes) ?? null
  const isAsRead = [column.column, ...plain.map(([name]) => name)].map(
    (name, index) => `${name} is not distinct from $${key.length + 2 + index}`,
  )
  const emptied = plain.map(([name, empty]) => `, ${name} = ${empty}`)
  const { rowCount } = await pool.query(
    `update ${column.table} set ${column.column} = $1 ${emptied.join('')} where ${isIt} and ${isAsRead.join(' and ')}`,
    [
      ...[kept === null ? null : stored(sealer.seal(kept, context)), ...key],
      ...[stored(row.sealed), ...plain.map(([name]) => row[name] ?? null)],
    ],
  )
  return rowCount ?? 0
}
