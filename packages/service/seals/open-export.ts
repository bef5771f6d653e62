import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { makePrivateFolder } from '../process/private-folder.ts'
import { createSealer, parseKeyring, type Sealer } from './seal.ts'
import type { SealedColumn } from './seal-again.ts'
import { openBox } from './sealed-box.ts'

type Row = Record<string, string | null>

/** What was opened of an export, by table. */
type Opened = Record<string, { rows: number; failed: number }>

/**
 * Opens what one of an anchor's servers had encrypted, in an export that is unpacked: each table is written again below
 * `opened/`, with the texts in the place of what was encrypted.
 *
 * @param schema of its tables
 * @throws {Error} where the private key is another one's.
 */
export async function openExport(
  folder: string,
  keyFile: string,
  schema: 'business' | 'sep',
  columns: readonly SealedColumn[],
): Promise<Opened> {
  const privateKey = await readFile(keyFile, 'utf8')
  const keys = JSON.parse(openBox(privateKey, await readFile(join(folder, 'keys.sealed'), 'utf8'))) as Row
  const keyring = keys[schema]
  if (!keyring) return {}
  const sealer = createSealer(parseKeyring(keyring))
  const opened: Opened = {}
  for (const [table, of] of Map.groupBy(columns, column => column.table)) {
    const path = join(schema, `${table}.ndjson`)
    if (!existsSync(join(folder, 'data', path))) continue
    const target = join(folder, 'opened', path)
    makePrivateFolder(dirname(target))
    opened[`${schema}.${table}`] = await openTable(sealer, of, join(folder, 'data', path), target)
  }
  return opened
}

async function openTable(
  sealer: Sealer,
  columns: readonly SealedColumn[],
  path: string,
  target: string,
): Promise<{ rows: number; failed: number }> {
  const done = { rows: 0, failed: 0 }
  async function* lines() {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line === '') continue
      const row = JSON.parse(line) as Row
      const texts = columns.map(column => [column.column, textOf(sealer, column, row)] as const)
      const found = texts.filter(([, text]) => text !== undefined)
      done.rows += 1
      done.failed += texts.length - found.length
      yield `${JSON.stringify({ ...row, ...Object.fromEntries(found) })}\n`
    }
  }
  await pipeline(lines, createWriteStream(target, { mode: 0o600 }))
  return done
}

/** Undefined: it cannot be opened, and stays as it is. */
function textOf(sealer: Sealer, column: SealedColumn, row: Row): string | null | undefined {
  const stored = row[column.column] ?? null
  if (stored === null) return null
  const bytes = column.base64Where ? Buffer.from(stored, 'base64') : Buffer.from(stored.slice(2), 'hex')
  try {
    return sealer.open(bytes, column.contextOf(row as Record<string, string>))
  } catch {
    return undefined
  }
}
