import type pg from 'pg'
import { ConfigError } from '../process/env.ts'
import { createSealer } from './seal.ts'

/** A column of texts that a keyring encrypts. */
export interface SealedColumn {
  table: string
  column: string
  /** The columns that tell its rows apart, from which the context follows. */
  key: readonly string[]
  contextOf(row: Readonly<Record<string, string>>): string
}

/**
 * Encrypts again what older keys of a keyring encrypted, so that these may be removed. Several processes may do it at
 * once. Resolves to how many texts there were.
 *
 * @param setting name of the keyring
 * @throws {ConfigError} before anything is changed, where a key is missing that is still needed.
 */
export async function sealAgain(
  pool: pg.Pool,
  setting: string,
  keys: Map<number, Buffer>,
  columns: readonly SealedColumn[],
): Promise<number> {
  for (const column of columns) await requireKeys(pool, setting, keys, column)
  let count = 0
  for (const column of columns) count += await sealColumn(pool, keys, column)
  return count
}

async function requireKeys(
  pool: pg.Pool,
  setting: string,
  keys: Map<number, Buffer>,
  { table, column }: SealedColumn,
): Promise<void> {
  const { rows } = await pool.query<{ version: number; count: number }>(
    `select get_byte(${column}, 0) as version, count(*)::int as count from ${table}
     where ${column} is not null group by 1 order by 1`,
  )
  const missing = rows.find(({ version }) => !keys.has(version))
  if (missing) {
    throw new ConfigError(
      `${setting} lacks v${missing.version}, which ${missing.count} rows of ${table} need: put it back behind the new one`,
    )
  }
}

async function sealColumn(
  pool: pg.Pool,
  keys: Map<number, Buffer>,
  { table, column, key, contextOf }: SealedColumn,
): Promise<number> {
  const [newest = 0] = keys.keys()
  const sealer = createSealer(keys)
  const { rows } = await pool.query<Record<string, string> & { sealed: Buffer }>(
    `select ${key.join(', ')}, ${column} as sealed from ${table} where get_byte(${column}, 0) <> $1`,
    [newest],
  )
  const same = key.map((name, index) => `${name} = $${index + 3}`).join(' and ')
  for (const row of rows) {
    const context = contextOf(row)
    // One that changed meanwhile was encrypted by the newest key.
    await pool.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${same}`, [
      sealer.seal(sealer.open(row.sealed, context), context),
      row.sealed,
      ...key.map(name => row[name]),
    ])
  }
  return rows.length
}
