import { xdr } from '@stellar/stellar-sdk'
import { amountText } from '../ledger/amounts.ts'
import { predicateRecord } from '../operations/claim-predicates.ts'
import type { Database, Row } from '../store/database.ts'
import { claimableBalanceOf } from '../store/entry-rows.ts'
import { claimableBalanceLinks } from './links.ts'
import type { Page } from './paging.ts'
import { badRequest } from './problems.ts'
import { modifiedTime } from './times.ts'

const source = 'claimable_balances b JOIN ledgers l ON l.sequence = b.modified'

interface BalanceFilter {
  readonly asset: string
  readonly sponsor: string
  readonly claimant: string
}

export function claimableBalanceById(database: Database, id: string): Row | undefined {
  return database.row(`SELECT b.*, l.closed_at FROM ${source} WHERE b.id = ?`, id)
}

/** Balances in the order of their last change; the cursor is `<ledger>-<id>`. */
export function claimableBalanceRows(
  database: Database,
  filter: BalanceFilter,
  { cursor, order, limit }: Page,
): Row[] {
  if (cursor !== '' && !/^\d{1,10}-[0-9a-f]{72}$/.test(cursor))
    throw badRequest('cursor', 'cursor: must be a ledger and a claimable balance id')
  const [ledger = '', id = ''] = cursor.split('-')
  return database.rows(
    `SELECT b.*, l.closed_at FROM ${source}
     WHERE (?1 = '' OR b.asset = ?1) AND (?2 = '' OR b.sponsor = ?2)
       AND (?3 = '' OR b.id IN (SELECT balance FROM claimants WHERE account = ?3))
       AND (?4 = '' OR (b.modified, b.id) ${order === 'asc' ? '>' : '<'} (CAST(?4 AS INTEGER), ?5))
     ORDER BY b.modified ${order}, b.id ${order} LIMIT ?6`,
    filter.asset,
    filter.sponsor,
    filter.claimant,
    ledger,
    id,
    limit,
  )
}

/** Horizon's resource of a claimable balance. */
export function claimableBalanceRecord(row: Row, base: string) {
  const balance = claimableBalanceOf(row)
  return {
    _links: claimableBalanceLinks(base, balance.id),
    id: balance.id,
    asset: balance.asset,
    amount: amountText(balance.amount),
    sponsor: balance.sponsor,
    last_modified_ledger: balance.modified,
    last_modified_time: modifiedTime(row['closed_at']),
    claimants: balance.claimants.map(({ destination, predicate }) => ({
      destination,
      predicate: predicateRecord(xdr.ClaimPredicate.fromXdr(predicate, 'base64')),
    })),
    flags: { clawback_enabled: balance.clawbackEnabled },
    paging_token: `${balance.modified}-${balance.id}`,
  }
}
