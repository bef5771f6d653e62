import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ledgerOf } from '../ledger/order.ts'
import { integer } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import { accountById } from './accounts.ts'
import { serveCollection, serveResource, type ReadPage } from './collections.ts'
import { effectRecords } from './effect-pages.ts'
import { feeStats } from './fee-stats.ts'
import { ledgerBySequence, ledgerRecord, ledgerRows } from './ledgers.ts'
import type { Instance } from './instance.ts'
import { tradeRoutes } from './trades.ts'
import { operationById, operationRecord, operationRows, type OperationScope } from './operations.ts'
import { historyCursor } from './paging.ts'
import { badRequest, beforeHistory, notFound } from './problems.ts'
import {
  accountParameter,
  balanceParameter,
  baseUrl,
  flagParameter,
  hashParameter,
  ledgerParameter,
  operationParameter,
  poolPathParameter,
  queryValue,
} from './requests.ts'
import { transactionByHash, transactionRecord, transactionRows } from './transactions.ts'

/** What a piece of history belongs to; empty for all of it. */
type Scope = Pick<OperationScope, 'account' | 'ledger' | 'transaction' | 'balance' | 'pool' | 'operation'>

/** What happened: ledgers, transactions, operations, payments, effects. */
export function historyRoutes(app: FastifyInstance, instance: Instance): void {
  serveResource(app, instance, '/fee_stats', () =>
    feeStats(instance.database, instance.latest.sequence, instance.ledger.fees),
  )

  serveCollection(
    app,
    instance,
    '/ledgers',
    request => page =>
      ledgerRows(instance.database, historyCursor(page, instance), page).map(row =>
        ledgerRecord(row, baseUrl(request)),
      ),
  )
  serveResource(app, instance, '/ledgers/:ledger', request => {
    const sequence = ledgerParameter(request)
    if (sequence < instance.elder) throw beforeHistory()
    const row = ledgerBySequence(instance.database, sequence)
    if (!row) throw notFound()
    return ledgerRecord(row, baseUrl(request))
  })
  serveResource(app, instance, '/transactions/:hash', request => {
    const hash = hashParameter(request)
    return transactionRecord(requireTransaction(instance, hash), baseUrl(request), hash.toString('hex'))
  })
  serveResource(app, instance, '/operations/:id', request => {
    const id = operationParameter(request)
    if (ledgerOf(id) < instance.elder) throw beforeHistory()
    const row = operationById(instance.database, id)
    if (!row) throw notFound()
    return operationRecord(instance.database, row, baseUrl(request), joinsTransactions(request))
  })

  tradeRoutes(app, instance)
  const collections = {
    transactions: transactionPages,
    operations: operationPages(false),
    payments: operationPages(true),
    effects: effectPages,
  }
  const serve = (
    path: string,
    names: readonly (keyof typeof collections)[],
    scope: (request: FastifyRequest) => Scope,
  ) => {
    for (const name of names)
      serveCollection(app, instance, `${path}/${name}`, request =>
        collections[name](instance, request, scope(request)),
      )
  }
  const all = ['transactions', 'operations', 'payments', 'effects'] as const
  serve('', all, () => ({}))
  serve('/accounts/:account', all, request => ({
    account: requireHistory(instance, accountParameter(request)),
  }))
  serve('/ledgers/:ledger', all, request => {
    const ledger = ledgerParameter(request)
    if (!ledgerBySequence(instance.database, ledger)) throw notFound()
    return { ledger }
  })
  serve('/transactions/:hash', ['operations', 'payments', 'effects'], request => ({
    transaction: integer(requireTransaction(instance, hashParameter(request))['id']),
  }))
  serve('/operations/:id', ['effects'], request => ({ operation: operationParameter(request) }))
  serve('/liquidity_pools/:pool', ['transactions', 'operations', 'effects'], request => ({
    pool: poolPathParameter(request),
  }))
  serve('/claimable_balances/:balance', ['transactions', 'operations'], request => ({
    balance: balanceParameter(request),
  }))
}

function transactionPages(instance: Instance, request: FastifyRequest, scope: Scope): ReadPage {
  const whole = { ...scope, includeFailed: flagParameter(request, 'include_failed') }
  return page =>
    transactionRows(instance.database, whole, historyCursor(page, instance), page).map(row =>
      transactionRecord(row, baseUrl(request)),
    )
}

const operationPages =
  (payments: boolean) =>
  (instance: Instance, request: FastifyRequest, scope: Scope): ReadPage => {
    const join = joinsTransactions(request)
    // Under a failed transaction its operations are listed without being asked for.
    const includeFailed = flagParameter(request, 'include_failed') || scope.transaction !== undefined
    return page =>
      operationRows(
        instance.database,
        { ...scope, payments, includeFailed },
        historyCursor(page, instance),
        page,
      ).map(row => operationRecord(instance.database, row, baseUrl(request), join))
  }

function effectPages(instance: Instance, request: FastifyRequest, scope: Scope): ReadPage {
  return page => effectRecords(instance.database, scope, page, instance, baseUrl(request))
}

function requireTransaction({ database }: Instance, hash: Buffer): Row {
  const row = transactionByHash(database, hash)
  if (!row) throw notFound()
  return row
}

/** An account that was merged away keeps its history. */
function requireHistory({ database }: Instance, account: string): string {
  const known =
    accountById(database, account) ??
    database.row('SELECT 1 FROM operation_accounts WHERE account = ? LIMIT 1', account)
  if (!known) throw notFound()
  return account
}

function joinsTransactions(request: FastifyRequest): boolean {
  const join = queryValue(request, 'join')
  if (join !== '' && join !== 'transactions') throw badRequest('join', 'Accepted values: transactions')
  return join === 'transactions'
}
