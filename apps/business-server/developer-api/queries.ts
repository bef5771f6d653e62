import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/pages.ts'
import type { Selectable } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import { after } from '../paging.ts'
import type { FirmRateTable } from '../rates/table.ts'
import type { TransferState } from '../transfers/status.ts'
import type { Transfer } from '../transfers/table.ts'

export interface TransferFilter extends PageQuery {
  status?: string
  kind?: 'deposit' | 'withdrawal'
  account?: string
}

export function listTransfers(db: Db<BusinessDatabase>, filter: TransferFilter): Promise<Transfer[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('transfers').selectAll()
  if (filter.status) query = query.where('state', '=', filter.status as TransferState)
  if (filter.kind) query = query.where('direction', '=', filter.kind)
  if (filter.account) query = query.where('account', '=', filter.account)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

export function listCustomers(db: Db<BusinessDatabase>, filter: PageQuery & { account?: string }) {
  const start = pageStart(filter)
  let query = db
    .selectFrom('customers')
    .leftJoin('kyc_statuses', 'kyc_statuses.central_id', 'customers.central_id')
    .select(['customers.id', 'account', 'memo', 'status', 'created_at'])
  if (filter.account) query = query.where('account', '=', filter.account)
  if (start) query = query.where(after(start, 'customers.id'))
  return query.orderBy('created_at', 'desc').orderBy('customers.id', 'desc').limit(pageSize(filter)).execute()
}

export function customerForm(row: Awaited<ReturnType<typeof listCustomers>>[number]) {
  const { id, account, memo, status, created_at } = row
  return { id, account, memo, status: status ?? 'NEEDS_INFO', createdAt: created_at.toISOString() }
}

export function listQuotes(db: Db<BusinessDatabase>, filter: PageQuery) {
  const start = pageStart(filter)
  let query = db.selectFrom('firm_rates').selectAll()
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

export function quoteForm(row: Selectable<FirmRateTable>) {
  const plain = (value: string) => formatAmount(parseAmount(value))
  return {
    id: row.id,
    sellAsset: row.sell_asset,
    buyAsset: row.buy_asset,
    amount: plain(row.amount),
    fee: plain(row.fee),
    railAmount: plain(row.fiat_amount),
    currency: row.currency,
    transactionId: row.transfer_id,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  }
}
