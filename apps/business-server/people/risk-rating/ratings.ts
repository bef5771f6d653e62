import type { CustomerRating, Rating } from '@windlass/contracts/anchor/risk-rating.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { NotNull, Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { CustomerRatingTable } from '../../tables.ts'
import { isFormerOf, type Rated } from './former.ts'
import { openNote } from './notes.ts'

type Row = Selectable<CustomerRatingTable>

export const ratingForm = (sealer: Sealer, customer: string, row: Row): CustomerRating => ({
  ...{ customer, rating: row.rating, reasons: row.reasons, atLeast: row.at_least },
  ...{ note: openNote(sealer, row), by: row.by, rulesVersion: Number(row.rules_version) },
  reviewOn: row.review_on,
  at: row.created_at.toISOString(),
})

/** What counts now of each customer, rated last first. */
export async function listRatings(
  { database: { db }, clock }: Pick<Deps, 'database' | 'clock'>,
  filter: PageQuery & { rating?: Rating; due?: boolean },
): Promise<(Row & { customer_id: string })[]> {
  const start = pageStart(filter)
  let query = db
    .selectFrom('customer_ratings')
    .selectAll()
    .where('replaced_at', 'is', null)
    .where('customer_id', 'is not', null)
    .$narrowType<{ customer_id: NotNull }>()
  if (filter.rating) query = query.where('rating', '=', filter.rating)
  if (filter.due) query = query.where('review_on', '<=', clock.now().toISOString().slice(0, 10))
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

const LISTED = 50

/** Newest first, also those that they had before they deleted their data and came back. */
export async function ratingsOf(
  { database: { db }, sealer }: Pick<Deps, 'database' | 'sealer'>,
  customer: Rated,
): Promise<CustomerRating[]> {
  const isFormer = await isFormerOf(db, customer)
  const rows = await db
    .selectFrom('customer_ratings')
    .selectAll()
    .where(({ eb, or }) => or([eb('customer_id', '=', customer.id), isFormer]))
    .orderBy('created_at', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map(row => ratingForm(sealer, customer.id, row))
}
