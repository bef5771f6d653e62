import { SignerKey, StrKey } from '@stellar/stellar-sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { integer } from '../store/columns.ts'
import { accountById, accountRecord, accountRows, dataValue } from './accounts.ts'
import { assetNames, assetRecord } from './assets.ts'
import { claimableBalanceById, claimableBalanceRecord, claimableBalanceRows } from './claimable-balances.ts'
import { serveCollection, serveResource, type ReadPage } from './collections.ts'
import { feeStats } from './fee-stats.ts'
import { ledgerBySequence, ledgerRecord, ledgerRows } from './ledgers.ts'
import type { Network } from './network.ts'
import { operationById, operationRecord, operationRows, type OperationScope } from './operations.ts'
import { historyCursor } from './paging.ts'
import { badRequest, notFound } from './problems.ts'
import {
  accountParameter,
  baseUrl,
  flagParameter,
  hashParameter,
  ledgerParameter,
  pathValue,
  queryValue,
} from './requests.ts'
import {
  transactionByHash,
  transactionRecord,
  transactionRows,
  type TransactionScope,
} from './transactions.ts'

/** Everything that is read. */
export function readingRoutes(app: FastifyInstance, network: Network): void {
  const { database, ledger } = network
  const latest = () => ledger.latest.sequence

  const transactions = (
    request: FastifyRequest,
    scope: Omit<TransactionScope, 'includeFailed'>,
  ): ReadPage => {
    const whole = { ...scope, includeFailed: flagParameter(request, 'include_failed') }
    return page =>
      transactionRows(database, whole, historyCursor(page, latest()), page).map(row =>
        transactionRecord(row, baseUrl(request)),
      )
  }
  const operations = (
    request: FastifyRequest,
    scope: Omit<OperationScope, 'includeFailed' | 'payments'>,
    payments: boolean,
  ): ReadPage => {
    const join = joinsTransactions(request)
    const whole = { ...scope, payments, includeFailed: flagParameter(request, 'include_failed') }
    return page =>
      operationRows(database, whole, historyCursor(page, latest()), page).map(row =>
        operationRecord(database, row, baseUrl(request), join),
      )
  }
  /** A collection under a parent, and its operations and payments. */
  const history = (
    path: string,
    scope: (request: FastifyRequest) => { account?: string; ledger?: number; balance?: string },
    payments = true,
  ) => {
    serveCollection(app, network, `${path}/transactions`, request => transactions(request, scope(request)))
    serveCollection(app, network, `${path}/operations`, request => operations(request, scope(request), false))
    if (payments)
      serveCollection(app, network, `${path}/payments`, request => operations(request, scope(request), true))
  }

  app.get('/fee_stats', () => feeStats(database, latest()))

  history('', () => ({}))
  history('/accounts/:account', request => {
    const account = accountParameter(request)
    if (!accountById(database, account) && !hasHistory(network, account)) throw notFound()
    return { account }
  })
  history('/ledgers/:ledger', request => {
    const sequence = ledgerParameter(request)
    if (!ledgerBySequence(database, sequence)) throw notFound()
    return { ledger: sequence }
  })
  history('/claimable_balances/:balance', request => ({ balance: balanceParameter(request) }), false)

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
    const row = transactionByHash(database, hash)
    if (!row) throw notFound()
    return transactionRecord(row, baseUrl(request), hash.toString('hex'))
  })
  for (const payments of [false, true])
    serveCollection(app, network, `/transactions/:hash/${payments ? 'payments' : 'operations'}`, request => {
      const row = transactionByHash(database, hashParameter(request))
      if (!row) throw notFound()
      const read = operations(request, { transaction: integer(row['id']) }, payments)
      return row['successful'] === 1n
        ? read
        : operationsOfFailed(network, request, integer(row['id']), payments)
    })
  app.get('/operations/:id', request => {
    const id = pathValue(request, 'id')
    if (!/^\d{1,18}$/.test(id)) throw badRequest('id', 'Operation ID must be a number of 64 bits')
    const row = operationById(database, BigInt(id))
    if (!row) throw notFound()
    return operationRecord(database, row, baseUrl(request), joinsTransactions(request))
  })

  serveCollection(app, network, '/accounts', request => {
    const by = accountFilter(request)
    return page => accountRows(database, by, page).map(row => accountRecord(database, row, baseUrl(request)))
  })
  serveResource(app, network, '/accounts/:account', request => {
    const row = accountById(database, accountParameter(request))
    if (!row) throw notFound()
    return accountRecord(database, row, baseUrl(request))
  })
  serveResource(app, network, '/accounts/:account/data/:key', request => {
    const value = dataValue(database, accountParameter(request), pathValue(request, 'key'))
    if (value === undefined) throw notFound()
    return { value }
  })

  serveCollection(app, network, '/assets', request => {
    const code = queryValue(request, 'asset_code')
    const issuer = queryValue(request, 'asset_issuer')
    if (code !== '' && !/^[A-Za-z0-9]{1,12}$/.test(code)) throw badRequest('asset_code', 'not an asset code')
    if (issuer !== '' && !StrKey.isValidEd25519PublicKey(issuer))
      throw badRequest('asset_issuer', 'not an account id')
    return page => {
      if (page.cursor !== '' && !/^[A-Za-z0-9]{1,12}_G[A-Z2-7]{55}_credit_alphanum(4|12)$/.test(page.cursor))
        throw badRequest('cursor', 'cursor: must be a code, an issuer and a type joined by _')
      return assetNames(database, { code, issuer }, page).map(asset => assetRecord(database, asset))
    }
  })

  serveCollection(app, network, '/claimable_balances', request => {
    const filter = {
      asset: assetParameter(request),
      sponsor: addressParameter(request, 'sponsor'),
      claimant: addressParameter(request, 'claimant'),
    }
    return page =>
      claimableBalanceRows(database, filter, page).map(row => claimableBalanceRecord(row, baseUrl(request)))
  })
  serveResource(app, network, '/claimable_balances/:balance', request => {
    const row = claimableBalanceById(database, balanceParameter(request))
    if (!row) throw notFound()
    return claimableBalanceRecord(row, baseUrl(request))
  })

  // Nothing is traded here: these collections exist and are empty.
  for (const path of [
    '/offers',
    '/trades',
    '/liquidity_pools',
    '/accounts/:account/offers',
    '/accounts/:account/trades',
  ])
    serveCollection(app, network, path, () => () => [])
}

/** A failed transaction's operations are listed under it without being asked for. */
function operationsOfFailed(
  { database, ledger }: Network,
  request: FastifyRequest,
  transaction: bigint,
  payments: boolean,
): ReadPage {
  const scope = { transaction, payments, includeFailed: true }
  return page =>
    operationRows(database, scope, historyCursor(page, ledger.latest.sequence), page).map(row =>
      operationRecord(database, row, baseUrl(request), joinsTransactions(request)),
    )
}

/** An account that was merged away keeps its history. */
function hasHistory({ database }: Network, account: string): boolean {
  return database.row('SELECT 1 FROM operation_accounts WHERE account = ? LIMIT 1', account) !== undefined
}

function joinsTransactions(request: FastifyRequest): boolean {
  const join = queryValue(request, 'join')
  if (join !== '' && join !== 'transactions') throw badRequest('join', 'Accepted values: transactions')
  return join === 'transactions'
}

function accountFilter(request: FastifyRequest): { asset: string } | { signer: string } {
  const asset = assetParameter(request)
  const signer = queryValue(request, 'signer')
  if ((asset === '') === (signer === ''))
    throw badRequest('filters', 'Use exactly one of the filters: signer, asset')
  if (asset === 'native') throw badRequest('asset', "you can't filter by asset: native")
  if (asset !== '') return { asset }
  if (!isSigner(signer))
    throw badRequest('signer', 'signer: not a key, a hash or a pre-authorised transaction')
  return { signer }
}

function isSigner(address: string): boolean {
  try {
    SignerKey.decodeAddress(address)
    return true
  } catch {
    return false
  }
}

function assetParameter(request: FastifyRequest): string {
  const asset = queryValue(request, 'asset')
  if (asset === '' || asset === 'native') return asset
  const [code = '', issuer = '', ...rest] = asset.split(':')
  if (rest.length > 0 || !/^[A-Za-z0-9]{1,12}$/.test(code) || !StrKey.isValidEd25519PublicKey(issuer))
    throw badRequest('asset', 'asset: must be native or CODE:ISSUER')
  return asset
}

function addressParameter(request: FastifyRequest, name: string): string {
  const address = queryValue(request, name)
  if (address !== '' && !StrKey.isValidEd25519PublicKey(address))
    throw badRequest(name, `${name}: not an account id`)
  return address
}

/** The id in hex, or as a StrKey (B…, SEP-23). */
function balanceParameter(request: FastifyRequest): string {
  const id = pathValue(request, 'balance')
  if (/^00000000[0-9a-fA-F]{64}$/.test(id)) return id.toLowerCase()
  if (StrKey.isValidClaimableBalance(id))
    return `00000000${Buffer.from(StrKey.decodeClaimableBalance(id)).subarray(1).toString('hex')}`
  throw badRequest('id', 'id: not a claimable balance id')
}
