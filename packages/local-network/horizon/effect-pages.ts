import { xdr } from '@stellar/stellar-sdk'
import { int64Max } from '../ledger/entries.ts'
import { bytes, integer, number, text } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { operationResults } from '../ledger/results.ts'
import { type Effect, effectNumbers } from './effect.ts'
import { effectsOf } from './effects.ts'
import { operationRows, type OperationScope } from './operations.ts'
import { requireWithinHistory, type History, type Page, type Resource } from './paging.ts'
import { badRequest } from './problems.ts'
import { timeText } from './times.ts'

const batch = 50

/** A page of effects: those of the operations in a scope, and for an account only its own. */
export function effectRecords(
  database: Database,
  scope: Omit<OperationScope, 'payments' | 'includeFailed' | 'withEffects'>,
  page: Page,
  history: History,
  base: string,
): Resource[] {
  const up = page.order === 'asc'
  const after = effectCursor(page, history)
  const whole = { ...scope, withEffects: true, payments: false, includeFailed: false }
  const read = outcomeReader(database)
  const records: Resource[] = []
  // The operation the cursor is in may have more effects after it.
  let cursor = up ? after.operation - 1n : after.operation + 1n
  for (;;) {
    const rows = operationRows(database, whole, cursor, { ...page, limit: batch })
    for (const row of rows) {
      const all = ofOperation(row, read).map((effect, index) => ({ effect, place: index + 1 }))
      for (const { effect, place } of up ? all : all.toReversed()) {
        if (scope.account !== undefined && effect.account !== scope.account) continue
        if (!isBeyond(integer(row['id']), place, after, up)) continue
        records.push(effectRecord(row, effect, place, base))
        if (records.length === page.limit) return records
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return records
    cursor = integer(last['id'])
  }
}

interface Place {
  readonly operation: bigint
  readonly effect: number
}

/** `<operation>-<place>`; an operation's id alone means before its first effect, or after its last going down. */
function effectCursor({ cursor, order }: Page, { elder }: History): Place {
  const edge = order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER
  if (cursor === '') return { operation: order === 'asc' ? 0n : int64Max - 1n, effect: edge }
  if (!/^\d{1,18}(-\d{1,9})?$/.test(cursor)) throw badRequest('cursor', 'cursor: invalid value')
  const [operation = '0', effect] = cursor.split('-')
  requireWithinHistory(BigInt(operation), order, elder)
  return { operation: BigInt(operation), effect: effect === undefined ? edge : Number(effect) }
}

function isBeyond(operation: bigint, effect: number, after: Place, up: boolean): boolean {
  if (operation !== after.operation) return true
  return up ? effect > after.effect : effect < after.effect
}

interface Outcome {
  readonly meta: xdr.TransactionMeta
  readonly result: xdr.TransactionResult
}

/** Reads what became of a transaction, once for all its operations. */
function outcomeReader(database: Database): (transaction: bigint) => Outcome {
  const known = new Map<bigint, Outcome>()
  return transaction => {
    const found = known.get(transaction)
    if (found) return found
    const row = database.row('SELECT meta, result FROM transactions WHERE id = ?', transaction)
    const outcome = {
      meta: xdr.TransactionMeta.fromXdr(bytes(row?.['meta'])),
      result: xdr.TransactionResult.fromXdr(bytes(row?.['result'])),
    }
    known.set(transaction, outcome)
    return outcome
  }
}

function ofOperation(row: Row, read: (transaction: bigint) => Outcome): Effect[] {
  const id = integer(row['id'])
  const index = Number(id & 0xfffn) - 1
  const { meta, result } = read(id & ~0xfffn)
  const operations = 'operations' in meta.value ? meta.value.operations : []
  const changes = operations[index]?.changes
  return effectsOf(JSON.parse(text(row['record'])), changes ?? [], operationResults(result)[index])
}

function effectRecord(row: Row, effect: Effect, place: number, base: string): Resource {
  const id = integer(row['id'])
  const { account, type, ...fields } = effect
  const token = `${id}-${place}`
  const record = {
    _links: {
      operation: { href: `${base}/operations/${id}` },
      succeeds: { href: `${base}/effects?order=desc&cursor=${token}` },
      precedes: { href: `${base}/effects?order=asc&cursor=${token}` },
    },
    id: `${id.toString().padStart(19, '0')}-${place.toString().padStart(10, '0')}`,
    paging_token: token,
    account,
    type,
    type_i: effectNumbers[type],
    created_at: timeText(number(row['closed_at'])),
    ...fields,
  }
  return record
}
