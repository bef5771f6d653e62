import { idsOfLedger, idsOfTransaction } from '../ledger/order.ts'
import { hex, integer, number, text } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { operationLinks } from './links.ts'
import type { Page } from './paging.ts'
import { timeText } from './times.ts'
import { transactionByHash, transactionRecord } from './transactions.ts'

const source = `operations o JOIN transactions t ON t.id = o.transaction_id
  JOIN ledgers l ON l.sequence = t.ledger`
const columns = 'o.id, o.successful, o.record, t.hash, l.closed_at'

export interface OperationScope {
  readonly account?: string
  readonly ledger?: number
  readonly transaction?: bigint
  readonly balance?: string
  readonly pool?: string
  readonly operation?: bigint
  /** Also operations that had an effect on the account without being its own. */
  readonly withEffects?: boolean
  /** Only what moves money: payments, new accounts, merges. */
  readonly payments: boolean
  readonly includeFailed: boolean
}

export function operationById(database: Database, id: bigint): Row | undefined {
  return database.row(`SELECT ${columns} FROM ${source} WHERE o.id = ?`, id)
}

export function operationRows(
  database: Database,
  scope: OperationScope,
  cursor: bigint,
  page: Pick<Page, 'order' | 'limit'>,
): Row[] {
  const own = rowsThrough(database, 'operation_accounts', scope, cursor, page)
  if (!scope.withEffects || scope.account === undefined) return own
  // Two walks along an index each: an index over both would make every payment pay for trades.
  const others = rowsThrough(database, 'effect_accounts', scope, cursor, page)
  const sign = page.order === 'asc' ? 1 : -1
  return [...own, ...others]
    .sort((a, b) => (integer(a['id']) < integer(b['id']) ? -sign : sign))
    .slice(0, page.limit)
}

function rowsThrough(
  database: Database,
  accounts: 'operation_accounts' | 'effect_accounts',
  scope: OperationScope,
  cursor: bigint,
  { order, limit }: Pick<Page, 'order' | 'limit'>,
): Row[] {
  const conditions: string[] = []
  const values: (string | number | bigint)[] = []
  let from = source
  let key = 'o.id'
  const through = (table: string, column: string, value: string) => {
    from = `${table} a JOIN ${source.replace('operations o', 'operations o ON o.id = a.id')}`
    key = 'a.id'
    conditions.push(`a.${column} = ?`)
    values.push(value)
  }
  if (scope.account !== undefined) through(accounts, 'account', scope.account)
  if (scope.balance !== undefined) through('operation_balances', 'balance', scope.balance)
  if (scope.pool !== undefined) through('operation_pools', 'pool', scope.pool)
  if (scope.ledger !== undefined) {
    conditions.push('o.id BETWEEN ? AND ?')
    values.push(...idsOfLedger(scope.ledger))
  }
  if (scope.transaction !== undefined) {
    conditions.push('o.id BETWEEN ? AND ?')
    values.push(...idsOfTransaction(scope.transaction))
  }
  if (scope.operation !== undefined) {
    conditions.push('o.id = ?')
    values.push(scope.operation)
  }
  if (scope.payments) conditions.push('o.moves = 1')
  if (!scope.includeFailed) conditions.push('o.successful = 1')
  conditions.push(order === 'asc' ? `${key} > ?` : `${key} < ?`)
  return database.rows(
    `SELECT ${columns} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${key} ${order} LIMIT ?`,
    ...values,
    cursor,
    limit,
  )
}

/** Horizon's resource of an operation; with `join`, its transaction inside. */
export function operationRecord(database: Database, row: Row, base: string, join: boolean) {
  const id = integer(row['id'])
  const hash = hex(row['hash'])
  const own: Record<string, unknown> = JSON.parse(text(row['record']))
  // Removing a home domain has an effect, and leaves no field here.
  if (own['home_domain'] === '') delete own['home_domain']
  const transaction = join ? transactionByHash(database, Buffer.from(hash, 'hex')) : undefined
  return {
    _links: operationLinks(base, id, hash),
    id: id.toString(),
    paging_token: id.toString(),
    transaction_successful: integer(row['successful']) === 1n,
    ...own,
    created_at: timeText(number(row['closed_at'])),
    transaction_hash: hash,
    ...(transaction && { transaction: transactionRecord(transaction, base) }),
  }
}
