import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { createSep38Quote } from '@windlass/contracts/sep38.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { QuoteTable } from '../database.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { plainAmount } from '../transactions/amounts.ts'
import { checkPair } from './price.ts'

/** `POST /quote`: the business server promises rate and capacity until it expires. */
export async function createQuote(
  deps: Deps,
  wallet: Principals['wallet'],
  body: BodyOf<typeof createSep38Quote>,
) {
  const pair = checkPair(deps, body)
  if (body.expire_after && Number.isNaN(Date.parse(body.expire_after))) {
    throw refused('expire_after must be an ISO 8601 time')
  }
  const { context: _, ...wanted } = body
  const rate = await deps.business.rate({ ...wanted, ...pair, type: 'firm', client_id: wallet.account })
  if (!rate.id || !rate.expires_at) throw new Error('a firm rate came without id and expiry')
  const row = await deps.database.db
    .insertInto('quotes')
    .values({
      id: rate.id,
      account: wallet.account,
      account_memo: wallet.memo,
      sell_asset: pair.sell_asset,
      buy_asset: pair.buy_asset,
      sell_amount: rate.sell_amount,
      buy_amount: rate.buy_amount,
      price: rate.price,
      total_price: rate.total_price,
      fee: JSON.stringify(rate.fee),
      sell_delivery_method: body.sell_delivery_method ?? null,
      buy_delivery_method: body.buy_delivery_method ?? null,
      expires_at: new Date(rate.expires_at),
      transaction_id: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return quoteForm(row)
}

/** `GET /quote/:id` of the same wallet. */
export async function readQuote(deps: Deps, wallet: Principals['wallet'], id: string) {
  const row = await deps.database.db
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where('account', '=', wallet.account)
    .where(sql<boolean>`account_memo is not distinct from ${wallet.memo}`)
    .executeTakeFirst()
  if (!row) throw new Problem('not-found', 'There is no such quote.')
  return quoteForm(row)
}

function quoteForm(row: Selectable<QuoteTable>) {
  return {
    id: row.id,
    expires_at: row.expires_at.toISOString(),
    total_price: row.total_price,
    price: row.price,
    sell_asset: row.sell_asset,
    sell_amount: plainAmount(row.sell_amount),
    sell_delivery_method: row.sell_delivery_method ?? undefined,
    buy_asset: row.buy_asset,
    buy_amount: plainAmount(row.buy_amount),
    buy_delivery_method: row.buy_delivery_method ?? undefined,
    fee: row.fee,
  }
}
