import type { FeeDetails } from '@windlass/contracts/anchor/anchor-platform.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { createSep38Quote } from '@windlass/contracts/wallet/sep38.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { plainAmount } from '../requests/amounts.ts'
import { readTime } from '../requests/times.ts'
import type { Owner, Quote, Tables, Transaction } from '../tables.ts'
import { checkOnePair } from './prices.ts'

/** `POST /quote`: the business server reserves capacity at this rate until the quote expires. */
export async function createQuote(
  deps: Deps,
  wallet: Principals['wallet'],
  body: BodyOf<typeof createSep38Quote>,
) {
  const pair = checkOnePair(deps, await deps.terms.current(), body)
  const { context: _, expire_after, ...wanted } = body
  const expiry = expire_after ? readTime('expire_after', expire_after).toISOString() : undefined
  const request = { ...wanted, ...pair, expire_after: expiry, ...clientOf(wallet) }
  const rate = await deps.business.rate({ ...request, type: 'firm' })
  if (!rate.id || !rate.expires_at)
    throw new Error('the business server sent a firm rate without id or expiry')
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
  return sepQuote(row)
}

/** `GET /quote/:id` of the same wallet. Throws 404. */
export async function getQuote(deps: Deps, wallet: Owner, id: string) {
  const row = await ownedQuotes(deps.database.db, wallet).where('id', '=', id).executeTakeFirst()
  if (!row) throw new Problem('not-found', 'There is no quote with this id.')
  return sepQuote(row)
}

/** `get_quote` of the Platform API; null if there is none. */
export async function getPlatformQuote(db: Db<Tables>, id: string) {
  const row = await db.selectFrom('quotes').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return null
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

/** The fee of a quote while the transaction has the quote's amounts; null after another amount was paid. */
export async function quotedFee(
  db: Db<Tables>,
  id: string,
  sold: string | undefined,
  bought: string | undefined,
): Promise<FeeDetails | null> {
  const row = await db.selectFrom('quotes').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || sold === undefined || bought === undefined) return null
  const same = (a: string, b: string) => parseAmount(a) === parseAmount(b)
  return same(row.sell_amount, sold) && same(row.buy_amount, bought) ? row.fee : null
}

/** A quote that this transaction may use, unused and not expired. Throws 400. */
export async function findOpenQuote(
  db: Db<Tables>,
  id: string,
  owner: Owner & Pick<Transaction, 'sep'>,
  now: Date,
): Promise<Quote> {
  const quote = await db
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where(isQuoteFor(owner))
    .where('transaction_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!quote) throw unusable()
  return quote
}

/** Binds a quote to its transaction, once and before it expires. Throws 400 if it is another wallet's or does not fit. */
export async function bindQuote(tx: Db<Tables>, id: string, row: Transaction): Promise<void> {
  const bound = await tx
    .updateTable('quotes')
    .set({ transaction_id: row.id })
    .where('id', '=', id)
    .where(isQuoteFor({ account: row.account, memo: row.account_memo, sep: row.sep }))
    .where('sell_asset', '=', row.source_asset ?? '')
    .where('buy_asset', '=', row.destination_asset ?? '')
    .where('transaction_id', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (bound.numUpdatedRows === 0n) throw unusable()
}

/** Deletes quotes that expired 30 days ago and that no transaction used. */
export async function deleteUnusedQuotes(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('quotes')
    .where('transaction_id', 'is', null)
    .where('expires_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
}

const clientOf = ({ account, memo, clientDomain }: Principals['wallet']) => ({
  client_id: account,
  client_memo: memo ?? undefined,
  client_domain: clientDomain ?? undefined,
})

const unusable = () => badRequest('the quote is unknown, expired, used or for other assets')

/** Memos tell a sending anchor's customers apart, and it asks for its quotes before it names them. */
const isQuoteFor = ({ account, memo, sep }: Owner & Pick<Transaction, 'sep'>) =>
  sep === '31'
    ? sql<boolean>`account = ${account}`
    : sql<boolean>`account = ${account} and account_memo is not distinct from ${memo}`

function ownedQuotes(db: Db<Tables>, { account, memo }: Owner) {
  return db
    .selectFrom('quotes')
    .selectAll()
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
}

function sepQuote(row: Quote) {
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
