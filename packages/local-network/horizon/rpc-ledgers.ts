import { xdr } from '@stellar/stellar-sdk'
import { operationCapacity } from '../ledger/header.ts'
import { bytes, hex, number } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import type { Instance } from './instance.ts'
import { ledgerBySequence } from './ledgers.ts'
import { invalidParams, invalidRequest, recordOf, RpcError, type Params } from './rpc-call.ts'
import { transactionRows } from './transactions.ts'

const ledgersAtOnce = 200
const ledgersByDefault = 50

/** The ledgers an instance has, as most answers name them. Times are Unix seconds. */
export function range(instance: Instance) {
  const oldest = ledgerBySequence(instance.database, instance.elder)
  return {
    latestLedger: instance.latest.sequence,
    latestLedgerCloseTime: String(Math.floor(instance.latest.closedAt / 1000)),
    oldestLedger: instance.elder,
    oldestLedgerCloseTime: String(Math.floor(number(oldest?.['closed_at']) / 1000)),
  }
}

/** The header of a ledger, and with it all that its close did. */
function ledgerXdr({ database }: Instance, row: Row) {
  const header = xdr.LedgerHeader.fromXdr(bytes(row['header']))
  const page = { cursor: '', order: 'asc' as const, limit: operationCapacity }
  const filter = { ledger: number(row['sequence']), includeFailed: true }
  const rows = transactionRows(database, filter, 0n, page)
  const entry = new xdr.LedgerHeaderHistoryEntry({
    hash: bytes(row['hash']),
    header,
    ext: xdr.LedgerHeaderHistoryEntryExt.v0(),
  })
  const metadata = xdr.LedgerCloseMeta.v0(
    new xdr.LedgerCloseMetaV0({
      ledgerHeader: entry,
      txSet: new xdr.TransactionSet({
        previousLedgerHash: header.previousLedgerHash,
        txs: rows.map(row => xdr.TransactionEnvelope.fromXdr(bytes(row['envelope']))),
      }),
      txProcessing: rows.map(
        row =>
          new xdr.TransactionResultMeta({
            result: new xdr.TransactionResultPair({
              transactionHash: bytes(row['hash']),
              result: xdr.TransactionResult.fromXdr(bytes(row['result'])),
            }),
            feeProcessing: xdr.decodeArray(xdr.LedgerEntryChange, bytes(row['fee_meta'])),
            txApplyProcessing: xdr.TransactionMeta.fromXdr(bytes(row['meta'])),
          }),
      ),
      upgradesProcessing: [],
      scpInfo: [],
    }),
  )
  return { header, entry, metadataXdr: metadata.toXdr('base64') }
}

/** What an answer about the latest ledger has of it. */
export function latestXdr(instance: Instance) {
  const row = ledgerBySequence(instance.database, instance.latest.sequence)
  const { header, metadataXdr } = ledgerXdr(instance, row ?? {})
  return { headerXdr: header.toXdr('base64'), metadataXdr }
}

/** The first ledger that is asked for and how many, refused as stellar-rpc does. */
function ledgerPage({ elder, latest }: Instance, { startLedger = 0, pagination }: Params) {
  const { cursor = '', limit = 0 } = recordOf(pagination) ?? {}
  const within = `must be between the oldest ledger: ${elder} and the latest ledger: ${latest.sequence} for this rpc instance`
  const isThere = (ledger: unknown): ledger is number =>
    typeof ledger === 'number' && ledger >= elder && ledger <= latest.sequence
  if (cursor !== '' && startLedger !== 0)
    throw new RpcError(
      invalidRequest,
      `startLedger (${String(startLedger)}) and cursor (${String(cursor)}) cannot both be set`,
    )
  if (typeof limit !== 'number' || limit > ledgersAtOnce)
    throw new RpcError(invalidRequest, `limit must not exceed ${ledgersAtOnce}`)
  const first = cursor === '' ? startLedger : Number(cursor) + 1
  if (!isThere(first))
    throw cursor === ''
      ? new RpcError(invalidRequest, `start ledger (${String(startLedger)}) ${within}`)
      : new RpcError(invalidParams, `cursor ('${String(cursor)}') ${within}`)
  return { first, limit: limit || ledgersByDefault }
}

/** Ledgers from one on, or after a cursor. */
export function getLedgers(instance: Instance, params: Params): object {
  const { first, limit } = ledgerPage(instance, params)
  const { latest } = instance
  const last = Math.min(first + limit - 1, latest.sequence)
  const ledgers = Array.from({ length: last - first + 1 }, (_, index) => {
    const row = ledgerBySequence(instance.database, first + index) ?? {}
    const { entry, metadataXdr } = ledgerXdr(instance, row)
    return {
      hash: hex(row['hash']),
      sequence: first + index,
      ledgerCloseTime: String(Math.floor(number(row['closed_at']) / 1000)),
      headerXdr: entry.toXdr('base64'),
      metadataXdr,
    }
  })
  const { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime } = range(instance)
  return {
    ledgers,
    latestLedger,
    latestLedgerCloseTime: Number(latestLedgerCloseTime),
    oldestLedger,
    oldestLedgerCloseTime: Number(oldestLedgerCloseTime),
    cursor: String(last),
  }
}
