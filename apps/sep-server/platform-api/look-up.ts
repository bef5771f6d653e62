import { rpcErrors, statuses, type PlatformTransaction } from '@windlass/contracts/anchor-platform.ts'
import type { Db } from '@windlass/service/database.ts'
import type { SepDatabase } from '../database.ts'
import { plainAmount } from '../transactions/amounts.ts'
import { platformForm } from '../transactions/platform-form.ts'
import { RpcError } from './apply-call.ts'

/** `get_transactions` and `GET /transactions`: newest first, by sep and statuses, in pages. */
export async function listTransactions(db: Db<SepDatabase>, params: unknown): Promise<PlatformTransaction[]> {
  const { sep, statuses: wanted, page_size, page_number } = (params ?? {}) as Record<string, unknown>
  const limit = bounded(page_size, 20, 100)
  let query = db.selectFrom('transactions').selectAll()
  if (sep === '6' || sep === '24') query = query.where('sep', '=', sep)
  const names = typeof wanted === 'string' ? wanted.split(',') : Array.isArray(wanted) ? wanted : []
  const chosen = statuses.filter(status => names.includes(status))
  if (chosen.length > 0) query = query.where('status', 'in', chosen)
  const rows = await query
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(bounded(page_number, 0, 1_000_000) * limit)
    .execute()
  return rows.map(platformForm)
}

function bounded(value: unknown, fallback: number, max: number): number {
  const number = Number(value ?? fallback)
  return Number.isInteger(number) && number >= 0 ? Math.min(number, max) : fallback
}

export async function quoteForm(db: Db<SepDatabase>, id: string) {
  const row = await db.selectFrom('quotes').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new RpcError(rpcErrors.invalidParams, 'there is no such quote')
  return {
    id: row.id,
    sell_asset: row.sell_asset,
    sell_amount: plainAmount(row.sell_amount),
    buy_asset: row.buy_asset,
    buy_amount: plainAmount(row.buy_amount),
    price: row.price,
    total_price: row.total_price,
    fee: row.fee,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    transaction_id: row.transaction_id ?? undefined,
    creator: { account: row.account, memo: row.account_memo ?? undefined },
  }
}
