import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { approvedFiles, openFile } from '../rails/bank-file/files.ts'
import type { Tables } from '../tables.ts'
import { codesIn, type StatementItem } from './statement.ts'
import { originalOf } from './nacha.ts'

/** Banks return an entry within two days, or two months; each has several files. */
const FILES = 200

/**
 * Names the payouts of returned entries whose bank left our reference out: trace number, account and amount are those of
 * one entry in an approved file. Trace numbers alone come again in each file.
 */
export async function* withOriginals(
  deps: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  rail: string,
  items: AsyncIterable<StatementItem>,
): AsyncGenerator<StatementItem> {
  let originals: ReadonlyMap<string, Set<string>> | undefined
  for await (const item of items) {
    const original = item.kind === 'line' ? item.line.original : undefined
    if (item.kind !== 'line' || !original || codesIn(item.line).some(code => /^[PW]/.test(code))) {
      yield item
      continue
    }
    originals ??= await entriesOf(deps, tx, rail)
    const [code, another] = originals.get(original) ?? []
    const isOne = code !== undefined && another === undefined
    yield isOne ? { kind: 'line', line: { ...item.line, text: `${item.line.text} ${code}`.trim() } } : item
  }
}

async function entriesOf({ sealer }: Pick<Deps, 'sealer'>, tx: Db<Tables>, rail: string) {
  const found = new Map<string, Set<string>>()
  for (const file of await approvedFiles(tx, rail, FILES)) {
    if (file.format !== 'nacha') continue
    for (const record of openFile(sealer, file)
      .split('\r\n')
      .filter(each => each.startsWith('6'))) {
      const key = originalOf(record.slice(79), record)
      found.set(key, (found.get(key) ?? new Set()).add(record.slice(39, 54).trim()))
    }
  }
  return found
}
