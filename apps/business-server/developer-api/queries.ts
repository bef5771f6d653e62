import type { Db } from '@windlass/service/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/pages.ts'
import type { BusinessDatabase } from '../database.ts'
import { after } from '../paging.ts'
import type { TransferState } from '../transfers/status.ts'
import type { Transfer } from '../transfers/transfer.ts'

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
