import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import { notify, type Db } from '@windlass/service/database.ts'
import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import type { Hold } from '../registry/capacity-holds.ts'
import { capacityOf } from '../registry/conditions.ts'
import type { QuoteRow, Tables } from '../tables.ts'

const columns = [
  'id',
  'anchor_id',
  'amount',
  'currency',
  'asset',
  'issuer',
  'rail',
  'region',
  'fx_rate',
  'fee_fixed',
  'fee_percentage',
  'fee_variable',
  'fee_total',
  'sell_amount',
  'firm',
  'reasoning',
  'created_at',
  'expires_at',
] as const satisfies (keyof QuoteRow)[]

const INSERT = `insert into quotes (${columns.join(', ')}) values (${columns.map((_, n) => `$${n + 1}`).join(', ')})`

// Written by hand and prepared: every quote passes here.
export async function insertQuote(pool: pg.Pool, row: QuoteRow): Promise<void> {
  await pool.query({ name: 'insert-quote', text: INSERT, values: columns.map(column => row[column]) })
}

/**
 * Stores a firm quote if the anchor's capacity, less what open firm quotes hold, covers it; notifies the other processes.
 * Firm quotes of one anchor pass one at a time, so that together they never hold more than there is.
 */
export async function insertFirmQuote(db: Kysely<Tables>, row: QuoteRow): Promise<boolean> {
  return db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(727004, hashtext(${row.anchor_id}))`.execute(tx)
    const capacity = await capacityOf(tx, row.anchor_id)
    const held = await heldAt(tx, row.anchor_id, row.created_at)
    if (capacity === null || capacity - held < parseAmount(row.amount)) return false
    await tx.insertInto('quotes').values(row).execute()
    await notify(tx, 'firm-quotes', row.id)
    return true
  })
}

async function heldAt(tx: Db<Tables>, anchorId: string, now: Date): Promise<Amount> {
  const { sum } = await tx
    .selectFrom('quotes')
    .select(eb => eb.fn.coalesce(eb.fn.sum<string>('amount'), sql<string>`0`).as('sum'))
    .where('anchor_id', '=', anchorId)
    .where('firm', '=', true)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return parseAmount(sum)
}

/** What open firm quotes hold, or one of them. */
export async function openHolds(db: Db<Tables>, now: Date, quoteId?: string): Promise<Hold[]> {
  let query = db
    .selectFrom('quotes')
    .select(['id', 'anchor_id', 'amount', 'expires_at'])
    .where('firm', '=', true)
    .where('expires_at', '>', now)
  if (quoteId !== undefined) query = query.where('id', '=', quoteId)
  return (await query.execute()).map(row => ({
    quoteId: row.id,
    anchorId: row.anchor_id,
    amount: parseAmount(row.amount),
    expiresAt: row.expires_at,
  }))
}

export async function findQuoteRow(db: Db<Tables>, id: string): Promise<QuoteRow | undefined> {
  return db.selectFrom('quotes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Quotes that nobody can use any more go after 30 days. */
export async function pruneQuotes(db: Db<Tables>, before: Date): Promise<void> {
  await db.deleteFrom('quotes').where('created_at', '<', before).execute()
}
