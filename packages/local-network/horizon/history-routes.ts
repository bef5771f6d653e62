import type { FastifyInstance, FastifyRequest } from 'fastify'
import { integer } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import { accountById } from './accounts.ts'
import { serveCollection, serveResource, type ReadPage } from './collections.ts'
import { effectRecords } from './effect-pages.ts'
import { feeStats } from './fee-stats.ts'
import { ledgerBySequence, ledgerRecord, ledgerRows } from './ledgers.ts'
import type { Network } from './network.ts'
import { operationById, operationRecord, operationRows, type OperationScope } from './operations.ts'
import { historyCursor } from './paging.ts'
import { badRequest, notFound } from './problems.ts'
import {
  accountParameter,
  balanceParameter,
  baseUrl,
  flagParameter,
  hashParameter,
  ledgerParameter,
  operationParameter,
  queryValue,
} from './requests.ts'
import { transactionByHash, transactionRecord, transactionRows } from './transactions.ts'

/** What a piece of history belongs to; empty for all of it. */
type Scope = Pick<OperationScope, 'account' | 'ledger' | 'transaction' | 'balance' | 'operation'>

/** What happened: ledgers, transactions, operations, payments, effects. */
export function historyRoutes(app: FastifyInstance, network: Network): void {
  const { database } = network
  const latest = () => network.ledger.latest.sequence

  app.get('/fee_stats', () => feeStats(database, latest()))

  serveCollection(
    app,
    network,
    '/ledgers',
    request => page =>
      ledgerRows(database, historyCursor(page, latest()), page).map(row =>
        ledgerRecord(row, baseUrl(request)),
      ),
  )
  serveResource(app, network, '/ledgers/:ledger', request => {
    const row = ledgerBySequence(database, ledgerParameter(request))
    if (!row) throw notFound()
    return ledgerRecord(row, baseUrl(request))
  })
  app.get('/transactions/:hash', request => {
    const hash = hashParameter(request)
    return transactionRecord(requireTransaction(network, hash), baseUrl(request), hash.toString('hex'))
  })
  app.get('/operations/:id', request => {
    const row = operationById(database, operationParameter(request))
    if (!row) throw notFound()
    return operationRecord(database, row, baseUrl(request), joinsTransactions(request))
  })

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
      serveCollection(app, network, `${path}/${name}`, request =>
        collections[name](network, request, scope(request)),
      )
  }
  const all = ['transactions', 'operations', 'payments', 'effects'] as const
  serve('', all, () => ({}))
  serve('/accounts/:account', all, request => ({
    account: requireHistory(network, accountParameter(request)),
  }))
  serve('/ledgers/:ledger', all, request => {
    const ledger = ledgerParameter(request)
    if (!ledgerBySequence(database, ledger)) throw notFound()
    return { ledger }
  })
  serve('/transactions/:hash', ['operations', 'payments', 'effects'], request => ({
    transaction: integer(requireTransaction(network, hashParameter(request))['id']),
  }))
  serve('/operations/:id', ['effects'], request => ({ operation: operationParameter(request) }))
  serve('/claimable_balances/:balance', ['transactions', 'operations'], request => ({
    balance: balanceParameter(request),
  }))
}

function transactionPages({ database, ledger }: Network, request: FastifyRequest, scope: Scope): ReadPage {
  const whole = { ...scope, includeFailed: flagParameter(request, 'include_failed') }
  return page =>
    transactionRows(database, whole, historyCursor(page, ledger.latest.sequence), page).map(row =>
      transactionRecord(row, baseUrl(request)),
    )
}

const operationPages =
  (payments: boolean) =>
  ({ database, ledger }: Network, request: FastifyRequest, scope: Scope): ReadPage => {
    const join = joinsTransactions(request)
    // Under a failed transaction its operations are listed without being asked for.
    const includeFailed = flagParameter(request, 'include_failed') || scope.transaction !== undefined
    return page =>
      operationRows(
        database,
        { ...scope, payments, includeFailed },
        historyCursor(page, ledger.latest.sequence),
        page,
      ).map(row => operationRecord(database, row, baseUrl(request), join))
  }

function effectPages({ database, ledger }: Network, request: FastifyRequest, scope: Scope): ReadPage {
  return page => effectRecords(database, scope, page, ledger.latest.sequence, baseUrl(request))
}

function requireTransaction({ database }: Network, hash: Buffer): Row {
  const row = transactionByHash(database, hash)
  if (!row) throw notFound()
  return row
}

/** An account that was merged away keeps its history. */
function requireHistory({ database }: Network, account: string): string {
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
