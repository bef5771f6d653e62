import { parseAmount } from '@windlass/money/amount.ts'
import { notify, type Db } from '@windlass/service/postgres/database.ts'
import { sql, type Kysely } from 'kysely'
import type { Hold } from '../registry/capacity-holds.ts'
import { capacityOf } from '../registry/conditions.ts'
import { assetId } from '../registry/entry.ts'
import type { QuoteRow, Tables } from '../tables.ts'
import { amountOrZero, CLIENT_WINDOW_MS, mayReserve, type Reserved } from './reservations.ts'

/**
 * Stores a firm quote if it keeps within the bounds of {@link mayReserve}; notifies the other processes. Firm quotes of
 * one anchor pass one at a time, so that together they never hold more than they may.
 */
export async function insertFirmQuote(db: Kysely<Tables>, row: QuoteRow): Promise<boolean> {
  return db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(727004, hashtext(${row.anchor_id}))`.execute(tx)
    const capacity = await capacityOf(tx, row.anchor_id, idOfQuoted(row))
    if (capacity === null) return false
    const reserved = { capacity, ...(await reservedBy(tx, row)) }
    if (!mayReserve(reserved, parseAmount(row.amount))) return false
    await tx.insertInto('quotes').values(row).execute()
    await notify(tx, 'firm-quotes', row.id)
    return true
  })
}

const codeOf = (asset: string): string => asset.split(':')[0] ?? asset

/** The asset that a quote is for: a bare code may mean assets of several issuers. */
export const idOfQuoted = ({ asset, issuer }: Pick<QuoteRow, 'asset' | 'issuer'>): string =>
  assetId({ code: codeOf(asset), issuer: issuer ?? '' })

/**
 * What firm quotes reserve of the anchor of a new one, of its asset: the totals of whole spans, and the quotes of the span in which
 * the time is.
 */
export async function reservedBy(tx: Db<Tables>, quote: QuoteRow): Promise<Omit<Reserved, 'capacity'>> {
  const { anchor_id: anchor, issuer, client, created_at: now } = quote
  const window = new Date(now.getTime() - CLIENT_WINDOW_MS)
  const holder = `${anchor} ${codeOf(quote.asset)}:${issuer ?? ''}`
  const after = (of: string, time: Date) => sql`
    (select coalesce(sum(amount), 0) from firm_quote_totals where holder = ${of} and span > ${spanOf(time)}::bigint)`
  const ofAsset = sql`anchor_id = ${anchor} and firm and issuer is not distinct from ${issuer}
    and split_part(asset, ':', 1) = ${codeOf(quote.asset)}`
  const within = (column: string, time: Date) =>
    sql`${sql.ref(column)} > ${time} and ${sql.ref(column)} < ${new Date((spanOf(time) + 1) * SPAN_MS)}`
  const { rows } = await sql<{ open: string; by_client: string }>`select
    ${after(`open ${holder}`, now)} + (select coalesce(sum(amount), 0) from quotes
      where ${ofAsset} and ${within('expires_at', now)}) as open,
    ${after(`client ${holder} ${client ?? ''}`, window)} + (select coalesce(sum(amount), 0) from quotes
      where ${ofAsset} and client = ${client} and ${within('created_at', window)}) as by_client`.execute(tx)
  return { open: amountOrZero(rows[0]?.open ?? null), byClient: amountOrZero(rows[0]?.by_client ?? null) }
}

/** As the database's triggers count them. */
const SPAN_MS = 5_000
const spanOf = (time: Date): number => Math.floor(time.getTime() / SPAN_MS)

/** What open firm quotes hold, or one of them. */
export async function openHolds(db: Db<Tables>, now: Date, quoteId?: string): Promise<Hold[]> {
  let query = db
    .selectFrom('quotes')
    .select(['id', 'anchor_id', 'asset', 'issuer', 'amount', 'expires_at'])
    .where('firm', '=', true)
    .where('expires_at', '>', now)
  if (quoteId !== undefined) query = query.where('id', '=', quoteId)
  return (await query.execute()).map(row => ({
    quoteId: row.id,
    anchorId: row.anchor_id,
    asset: idOfQuoted(row),
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
  await db.deleteFrom('firm_quote_totals').where('span', '<', spanOf(before)).execute()
}
