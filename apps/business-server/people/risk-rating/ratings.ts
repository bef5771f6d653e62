import type { CustomerRating, Rating } from '@windlass/contracts/anchor/risk-rating.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import type { Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { CustomerRatingTable, Tables } from '../../tables.ts'

type Row = Selectable<CustomerRatingTable>

export const ratingForm = (row: Row): CustomerRating => ({
  ...{ customer: row.customer_id, rating: row.rating, reasons: row.reasons, atLeast: row.at_least },
  ...{ note: row.note, by: row.by, rulesVersion: Number(row.rules_version) },
  reviewOn: row.review_on,
  at: row.created_at.toISOString(),
})

/** What counts now of each customer, rated last first. */
export async function listRatings(
  { database: { db }, clock }: Pick<Deps, 'database' | 'clock'>,
  filter: PageQuery & { rating?: Rating; due?: boolean },
): Promise<Row[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('customer_ratings').selectAll().where('replaced_at', 'is', null)
  if (filter.rating) query = query.where('rating', '=', filter.rating)
  if (filter.due) query = query.where('review_on', '<=', clock.now().toISOString().slice(0, 10))
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

const LISTED = 50

/** Newest first. */
export async function ratingsOf(db: Db<Tables>, customerId: string): Promise<CustomerRating[]> {
  const query = db.selectFrom('customer_ratings').selectAll().where('customer_id', '=', customerId)
  const rows = await query.orderBy('created_at', 'desc').limit(LISTED).execute()
  return rows.map(ratingForm)
}
