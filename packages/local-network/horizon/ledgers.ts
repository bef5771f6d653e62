import { xdr } from '@stellar/stellar-sdk'
import { amountText } from '../ledger/amounts.ts'
import { baseReserve } from '../ledger/entries.ts'
import { operationCapacity, totalCoins } from '../ledger/header.ts'
import { ledgerId, ledgerOf } from '../ledger/order.ts'
import { base64, bytes, hex, integer, number } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { ledgerLinks } from './links.ts'
import type { Page } from './paging.ts'
import { timeText } from './times.ts'

export function ledgerBySequence(database: Database, sequence: number): Row | undefined {
  return database.row('SELECT * FROM ledgers WHERE sequence = ?', sequence)
}

export function ledgerRows(database: Database, cursor: bigint, { order, limit }: Page): Row[] {
  const up = order === 'asc'
  // A descending cursor inside a ledger (as `now` is) includes that ledger.
  const inside = !up && cursor > ledgerId(ledgerOf(cursor))
  return database.rows(
    `SELECT * FROM ledgers WHERE sequence ${up ? '>' : inside ? '<=' : '<'} ? ORDER BY sequence ${order} LIMIT ?`,
    ledgerOf(cursor),
    limit,
  )
}

/** Horizon's resource of a ledger. */
export function ledgerRecord(row: Row, base: string) {
  const sequence = number(row['sequence'])
  const hash = hex(row['hash'])
  const header = xdr.LedgerHeader.fromXdr(bytes(row['header']))
  return {
    _links: ledgerLinks(base, sequence),
    id: hash,
    paging_token: ledgerId(sequence).toString(),
    hash,
    ...(sequence > 1 && { prev_hash: hex(row['previous_hash']) }),
    sequence,
    successful_transaction_count: number(row['successful']),
    failed_transaction_count: number(row['failed']),
    operation_count: number(row['operations']),
    tx_set_operation_count: number(row['set_operations']),
    closed_at: timeText(number(row['closed_at'])),
    total_coins: amountText(totalCoins),
    fee_pool: amountText(integer(row['fee_pool'])),
    base_fee_in_stroops: header.baseFee,
    base_reserve_in_stroops: Number(baseReserve),
    max_tx_set_size: operationCapacity,
    protocol_version: header.ledgerVersion,
    header_xdr: base64(row['header']),
  }
}
