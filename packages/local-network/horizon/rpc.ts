import { xdr } from '@stellar/stellar-sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedEnvelope } from '../ledger/envelope.ts'
import { LedgerState } from '../ledger/state.ts'
import { contractsSince, simulate } from '../operations/invoke-host-function.ts'
import { entryData, entryKeyOf } from '../ledger/entry-xdr.ts'
import { idsOfLedger, ledgerId, ledgerOf } from '../ledger/order.ts'
import { base64, hex, integer, number } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import { EntryRows } from '../store/entry-rows.ts'
import { contractEvent, type AssetEvent } from './asset-events.ts'
import { readFilters } from './event-filters.ts'
import { feeStats } from './fee-stats.ts'
import type { Instance } from './instance.ts'
import { baseUrl } from './requests.ts'
import {
  internalError,
  invalidParams,
  invalidRequest,
  methodNotFound,
  recordOf,
  RpcError,
  type Params,
} from './rpc-call.ts'
import { findEvents, idOf, transactionEvents } from './rpc-events.ts'
import { getLedgers, latestXdr, range } from './rpc-ledgers.ts'
import { networkAnswer } from './submission.ts'
import { transactionByHash, transactionRows } from './transactions.ts'
import { version } from './version.ts'

type Method = (instance: Instance, params: Params, request: FastifyRequest) => object

const entriesAtOnce = 200
const transactionsAtOnce = 200
const eventsAtOnce = 10_000
/** Ledgers that one request for events goes through. */
const ledgersOfEvents = 10_000
const lastEvent = 2 ** 32 - 2
/** The first protocol with events of what is no contract's call. */
const unifiedEventsSince = 23

/** Stellar RPC for classic work, at `/rpc`: what newer SDKs use beside Horizon, and for transfers by the contracts of assets. */
export function rpcRoutes(app: FastifyInstance, instance: Instance): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body)))
    } catch {
      done(null, undefined)
    }
  })
  app.post('/rpc', (request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(answer(instance, request))),
  )
}

function answer(instance: Instance, request: FastifyRequest): object {
  const call = recordOf(request.body)
  const id = call?.['id'] ?? null
  try {
    const method = call?.['method']
    if (call?.['jsonrpc'] !== '2.0' || typeof method !== 'string')
      throw new RpcError(invalidRequest, 'invalid request: send JSON-RPC 2.0')
    if (!Object.hasOwn(methods, method)) throw new RpcError(methodNotFound, `method not found: ${method}`)
    const params = recordOf(call['params'] ?? {})
    if (!params) throw new RpcError(invalidParams, 'params must be an object')
    return { jsonrpc: '2.0', id, result: methods[method]?.(instance, params, request) }
  } catch (error) {
    if (!(error instanceof RpcError)) request.log.error(error)
    const { code, message } =
      error instanceof RpcError ? error : new RpcError(internalError, 'internal error')
    return { jsonrpc: '2.0', id, error: { code, message } }
  }
}

const methods: Readonly<Record<string, Method>> = {
  getHealth: instance => ({
    status: 'healthy',
    latestLedger: instance.latest.sequence,
    oldestLedger: instance.elder,
    ledgerRetentionWindow: instance.latest.sequence - instance.elder + 1,
  }),
  getNetwork: ({ ledger }, _params, request) => ({
    friendbotUrl: `${baseUrl(request)}/friendbot`,
    passphrase: ledger.passphrase,
    protocolVersion: ledger.protocol,
  }),
  getLatestLedger: instance => ({
    id: Buffer.from(instance.latest.hash).toString('hex'),
    protocolVersion: instance.ledger.protocol,
    sequence: instance.latest.sequence,
    closeTime: range(instance).latestLedgerCloseTime,
    ...latestXdr(instance),
  }),
  getVersionInfo: ({ ledger }) => ({
    version,
    commitHash: '',
    buildTimestamp: '',
    captiveCoreVersion: `windlass-local-network ${version}`,
    protocolVersion: ledger.protocol,
  }),
  getFeeStats({ database, latest, ledger }) {
    const { max_fee } = feeStats(database, latest.sequence, ledger.fees)
    const inclusionFee = { ...max_fee, transactionCount: '0', ledgerCount: 5 }
    return { sorobanInclusionFee: inclusionFee, inclusionFee, latestLedger: latest.sequence }
  },
  getEvents,
  getLedgerEntries,
  getLedgers,
  getTransaction,
  getTransactions,
  sendTransaction,
  simulateTransaction,
}

/** As {@link range}, in lists. */
function timestamps(instance: Instance) {
  const { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime } = range(instance)
  return {
    latestLedger,
    latestLedgerCloseTimestamp: Number(latestLedgerCloseTime),
    oldestLedger,
    oldestLedgerCloseTimestamp: Number(oldestLedgerCloseTime),
  }
}

function getLedgerEntries(instance: Instance, { keys }: Params): object {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > entriesAtOnce)
    throw new RpcError(invalidParams, `keys must be a list of 1 to ${entriesAtOnce} ledger keys`)
  const rows = new EntryRows(instance.database)
  const entries = keys.flatMap(given => {
    const key = entryKeyOf(ledgerKeyIn(given))
    const entry = key === undefined ? undefined : rows.find(key)
    if (!entry) return []
    return [
      {
        key: given,
        xdr: entryData(entry).toXdr('base64'),
        lastModifiedLedgerSeq: entry.modified,
        extXdr: 'AAAAAA==',
        // Nothing is archived here.
        ...((entry.kind === 'contract-balance' || entry.kind === 'asset-contract') && {
          liveUntilLedgerSeq: 2 ** 31,
        }),
      },
    ]
  })
  return { entries, latestLedger: instance.latest.sequence }
}

function ledgerKeyIn(given: unknown): xdr.LedgerKey {
  try {
    return xdr.LedgerKey.fromXdr(String(given), 'base64')
  } catch {
    throw new RpcError(invalidParams, `cannot decode the ledger key ${String(given)}`)
  }
}

function getTransaction(instance: Instance, { hash }: Params): object {
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    throw new RpcError(invalidParams, 'hash must be 64 hexadecimal digits')
  const row = transactionByHash(instance.database, Buffer.from(hash, 'hex'))
  if (!row) return { status: 'NOT_FOUND', txHash: hash, ...range(instance) }
  return { ...transactionInfo(row), ...eventsXdr(instance, row), txHash: hash, ...range(instance) }
}

function transactionInfo(row: Row) {
  const id = integer(row['id'])
  return {
    status: row['successful'] === 1n ? 'SUCCESS' : 'FAILED',
    txHash: hex(row['hash']),
    applicationOrder: Number((id >> 12n) & 0xfffffn),
    feeBump: row['inner_hash'] !== null,
    envelopeXdr: base64(row['envelope']),
    resultXdr: base64(row['result']),
    resultMetaXdr: base64(row['meta']),
    ledger: number(row['ledger']),
    createdAt: String(Math.floor(number(row['closed_at']) / 1000)),
  }
}

/** From protocol 23 on also of what is no contract's call (CAP-67). */
function eventsXdr(instance: Instance, row: Row) {
  if (instance.ledger.protocol < unifiedEventsSince)
    return { events: { transactionEventsXdr: [], contractEventsXdr: [] } }
  const entries = new EntryRows(instance.database)
  const { fee, operations } = transactionEvents(instance, row)
  const ofAsset = (event: AssetEvent) => contractEvent(event, entries.contractOf(event.asset))
  const charged = new xdr.TransactionEvent({
    stage: xdr.TransactionEventStage.transactionEventStageBeforeAllTxs,
    event: ofAsset(fee),
  })
  return {
    events: {
      transactionEventsXdr: [charged.toXdr('base64')],
      contractEventsXdr: operations.map(events => events.map(each => ofAsset(each).toXdr('base64'))),
    },
  }
}

function getEvents(instance: Instance, { startLedger, endLedger, filters, pagination }: Params): object {
  const { cursor, limit = 100 } = recordOf(pagination) ?? {}
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > eventsAtOnce)
    throw new RpcError(invalidParams, `limit must be a number from 1 to ${eventsAtOnce}`)
  const isWanted = readFilters(filters)
  if (typeof isWanted === 'string') throw new RpcError(invalidParams, isWanted)
  const isCursor = typeof cursor === 'string' && /^\d{19}-\d{10}$/.test(cursor)
  if (cursor !== undefined && (!isCursor || startLedger !== undefined || endLedger !== undefined))
    throw new RpcError(invalidParams, 'cursor must be that of an event, and ledger ranges go without it')
  const start = isCursor
    ? ledgerOf(BigInt(cursor.slice(0, 19)))
    : ledgerOf(startOf(instance, startLedger, null))
  const last = Math.min(instance.latest.sequence + 1, start + ledgersOfEvents)
  const end = typeof endLedger === 'number' ? Math.min(endLedger, last) : last
  const after = isCursor ? cursor : ''
  const events =
    instance.ledger.protocol < unifiedEventsSince
      ? []
      : findEvents(instance, { start, end, after, limit, isWanted })
  const full = events.length === limit ? events.at(-1)?.id : undefined
  return { events, cursor: full ?? idOf(ledgerId(end) - 1n, lastEvent), ...range(instance) }
}

function getTransactions(instance: Instance, { startLedger, pagination }: Params): object {
  const { cursor, limit = 50 } = recordOf(pagination) ?? {}
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > transactionsAtOnce)
    throw new RpcError(invalidParams, `limit must be a number from 1 to ${transactionsAtOnce}`)
  const after = startOf(instance, startLedger, cursor)
  const page = { cursor: '', order: 'asc' as const, limit }
  const rows = transactionRows(instance.database, { includeFailed: true }, after, page)
  const last = rows.at(-1)
  return {
    transactions: rows.map(row => ({
      ...transactionInfo(row),
      ...eventsXdr(instance, row),
      createdAt: Math.floor(number(row['closed_at']) / 1000),
    })),
    ...timestamps(instance),
    cursor: String(last ? integer(last['id']) : idsOfLedger(instance.latest.sequence)[1]),
  }
}

/** The id that transactions must follow: a cursor, or the start of a ledger that the instance has. */
function startOf(instance: Instance, startLedger: unknown, cursor: unknown): bigint {
  if (typeof cursor === 'string' && /^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  const { elder, latest } = instance
  if (typeof startLedger !== 'number' || startLedger < elder || startLedger > latest.sequence)
    throw new RpcError(
      invalidParams,
      `start ledger must be between the oldest ledger ${elder} and ${latest.sequence}`,
    )
  return ledgerId(startLedger)
}

function sendTransaction(instance: Instance, { transaction }: Params): object {
  if (typeof transaction !== 'string') throw new RpcError(invalidParams, 'transaction must be base64 XDR')
  const submission = instance.submit(envelopeIn(instance, transaction))
  const { latestLedger, latestLedgerCloseTime } = range(instance)
  const { tx_status: status, result } = networkAnswer(instance, submission)
  return {
    status,
    hash: submission.incoming.hash.toString('hex'),
    latestLedger,
    latestLedgerCloseTime,
    ...(result && { errorResultXdr: result.toXdr('base64') }),
  }
}

function simulateTransaction(instance: Instance, { transaction }: Params): object {
  if (typeof transaction !== 'string') throw new RpcError(invalidParams, 'transaction must be base64 XDR')
  const { operations } = envelopeIn(instance, transaction)
  const { sequence: latestLedger } = instance.latest
  const [call] = operations
  if (operations.length !== 1 || call?.body.type !== 'invokeHostFunction')
    return { error: 'transaction must contain exactly one call of a contract', latestLedger }
  if (instance.ledger.protocol < contractsSince)
    return { error: `there are contracts from protocol ${contractsSince} on`, latestLedger }
  const state = new LedgerState(new EntryRows(instance.database), latestLedger + 1)
  const { protocol } = instance.ledger
  const next = { protocol, sequence: latestLedger + 1 }
  const simulated = simulate(state, call.body.invokeHostFunctionOp, call.source, next)
  if ('error' in simulated) return { ...simulated, latestLedger }
  const { auth, data } = simulated
  return {
    transactionData: data.toXdr('base64'),
    minResourceFee: data.resourceFee.toString(),
    events: [],
    results: [{ auth: auth.map(entry => entry.toXdr('base64')), xdr: xdr.ScVal.scvVoid().toXdr('base64') }],
    latestLedger,
  }
}

function envelopeIn(instance: Instance, transaction: string) {
  try {
    return instance.ledger.read(transaction)
  } catch (error) {
    if (error instanceof MalformedEnvelope) throw new RpcError(invalidParams, 'cannot decode the transaction')
    throw error
  }
}
