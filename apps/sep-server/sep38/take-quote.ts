import type { Db } from '@windlass/service/database.ts'
import { sql, type Selectable } from 'kysely'
import type { QuoteTable, SepDatabase } from '../database.ts'
import { refused } from '../sep-errors.ts'
import type { Owner } from '../transactions/find.ts'
import type { Transaction } from '../transactions/transaction.ts'

const notGood = () => refused('the quote is not known, has expired, was used or is for other assets')

/** A wallet's own quote that was not used and has not expired. Throws a refusal. */
export async function findOpenQuote(
  db: Db<SepDatabase>,
  id: string,
  { account, memo }: Owner,
  now: Date,
): Promise<Selectable<QuoteTable>> {
  const quote = await db
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
    .where('transaction_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!quote) throw notGood()
  return quote
}

/** Ties a quote to the transaction, once and before it expires. Throws a refusal where it is not the wallet's or does not fit. */
export async function takeQuote(tx: Db<SepDatabase>, id: string, row: Transaction): Promise<void> {
  const taken = await tx
    .updateTable('quotes')
    .set({ transaction_id: row.id })
    .where('id', '=', id)
    .where('account', '=', row.account)
    .where(sql<boolean>`account_memo is not distinct from ${row.account_memo}`)
    .where('sell_asset', '=', row.source_asset ?? '')
    .where('buy_asset', '=', row.destination_asset ?? '')
    .where('transaction_id', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (taken.numUpdatedRows === 0n) throw notGood()
}
