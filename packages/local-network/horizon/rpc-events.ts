import { xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { idsOfTransaction, ledgerId, ledgerOf } from '../ledger/order.ts'
import { operationResults } from '../ledger/results.ts'
import { bytes, hex, integer, number, text } from '../store/columns.ts'
import type { Row } from '../store/database.ts'
import { EntryRows } from '../store/entry-rows.ts'
import { type AssetEvent, eventsOf, feeEvent } from './asset-events.ts'
import { pairs } from './effect.ts'
import type { Instance } from './instance.ts'
import { transactionRows } from './transactions.ts'

/** Where an event is: in a ledger, by transaction and operation, from 0; fees are before everything. */
interface Placed {
  readonly event: AssetEvent
  readonly row: Row
  readonly operation: number
  /** In the order of all events. */
  readonly id: string
}

/** Events of one transaction: its fee, and what its operations moved. */
export function transactionEvents(
  { database }: Instance,
  row: Row,
): { fee: AssetEvent; operations: AssetEvent[][] } {
  const envelope = xdr.TransactionEnvelope.fromXdr(bytes(row['envelope']))
  if (envelope.type === 'envelopeTypeTxV0') throw new TypeError('envelopes are stored in their present form')
  const isBump = envelope.type === 'envelopeTypeTxFeeBump'
  const { tx } = isBump ? envelope.feeBump.tx.innerTx.v1 : envelope.v1
  const payer = isBump ? envelope.feeBump.tx.feeSource : tx.sourceAccount
  const fee = feeEvent(accountIdOf(payer), integer(row['fee_charged']))
  if (row['successful'] !== 1n) return { fee, operations: tx.operations.map(() => []) }
  const { value } = xdr.TransactionMeta.fromXdr(bytes(row['meta']))
  const metas = 'operations' in value ? value.operations : []
  const results = operationResults(xdr.TransactionResult.fromXdr(bytes(row['result'])))
  const records = database.rows(
    'SELECT record FROM operations WHERE id BETWEEN ? AND ? ORDER BY id',
    ...idsOfTransaction(integer(row['id'])),
  )
  const operations = records.map(({ record }, index) =>
    eventsOf({
      operation: JSON.parse(text(record)) as Record<string, unknown>,
      changes: pairs(metas[index]?.changes ?? []),
      result: results[index],
      memo: tx.memo,
    }),
  )
  return { fee, operations }
}

/** Id of an event, or of a place between events: they are in order as texts. */
export const idOf = (place: bigint, index: number): string =>
  `${place.toString().padStart(19, '0')}-${index.toString().padStart(10, '0')}`

function eventsOfLedger(instance: Instance, ledger: number, rows: readonly Row[]): Placed[] {
  const all = rows.map(row => ({ row, ...transactionEvents(instance, row) }))
  const fees = all.map(({ row, fee }, index): Placed => {
    return { event: fee, row, operation: 0, id: idOf(ledgerId(ledger), index) }
  })
  const moved = all.flatMap(({ row, operations }) =>
    operations.flatMap((events, operation) =>
      events.map((event, index): Placed => {
        return { event, row, operation, id: idOf(integer(row['id']) | BigInt(operation + 1), index) }
      }),
    ),
  )
  return [...fees, ...moved]
}

export interface Wanted {
  /** The first ledger; with a cursor, that of the cursor. */
  readonly start: number
  /** Exclusive. */
  readonly end: number
  /** Events after this id. */
  readonly after: string
  readonly limit: number
  isWanted(contract: string, event: AssetEvent): boolean
}

interface EventRecord {
  readonly id: string
  readonly [field: string]: unknown
}

/** Events of all ledgers from one on, as RPC answers them. */
export function findEvents(
  instance: Instance,
  { start, end, after, limit, isWanted }: Wanted,
): EventRecord[] {
  const { database } = instance
  const entries = new EntryRows(database)
  const found: EventRecord[] = []
  const contracts = new Map<string, string>()
  const contractOf = (asset: string) => {
    const contract = contracts.get(asset) ?? entries.contractOf(asset)
    contracts.set(asset, contract)
    return contract
  }
  const page = { cursor: '', order: 'asc' as const, limit: 1 }
  let cursor = ledgerId(start)
  for (;;) {
    const [next] = transactionRows(database, { includeFailed: true }, cursor, page)
    const ledger = next ? ledgerOf(integer(next['id'])) : end
    if (ledger >= end || ledger > instance.latest.sequence) return found
    const scope = { includeFailed: true, ledger }
    const rows = transactionRows(database, scope, ledgerId(ledger), { ...page, limit: 10_000 })
    for (const placed of eventsOfLedger(instance, ledger, rows)) {
      const contract = contractOf(placed.event.asset)
      if (placed.id <= after || !isWanted(contract, placed.event)) continue
      found.push(recordOf(placed, ledger, contract))
      if (found.length === limit) return found
    }
    cursor = ledgerId(ledger + 1) - 1n
  }
}

const recordOf = ({ event, row, operation, id }: Placed, ledger: number, contract: string): EventRecord => ({
  type: 'contract',
  ledger,
  ledgerClosedAt: new Date(number(row['closed_at'])).toISOString().replace(/\.\d+Z$/, 'Z'),
  contractId: contract,
  id,
  operationIndex: operation,
  transactionIndex: Number((integer(row['id']) >> 12n) & 0xfffffn),
  txHash: hex(row['hash']),
  inSuccessfulContractCall: row['successful'] === 1n,
  topic: event.topics.map(each => each.toXdr('base64')),
  value: event.data.toXdr('base64'),
})
