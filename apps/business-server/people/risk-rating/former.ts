import type { Db } from '@windlass/service/postgres/database.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { CustomerRatingTable, Tables } from '../../tables.ts'
import { isLookedInto } from '../compliance/cases.ts'
import { namesInCases } from '../customers/kept.ts'
import { samePersons } from '../customers/same-person.ts'
import { personOf } from '../customers/tiers.ts'

/*
 * Ratings of those who deleted their data. What a person said of them counts for anyone who comes with their wallet or as the same
 * person, until someone looks at that one.
 */

type Row = Selectable<CustomerRatingTable>

/** Whom a rating is of. */
export interface Rated {
  id: string
  account: string
  memo: string | null
}

/** Keeps what a customer who is deleted was rated, where a person said something of it. */
export async function keepRatings(
  tx: Db<Tables>,
  { id, account, memo, central_id: person }: Rated & { central_id: string | null },
  at: Date,
): Promise<void> {
  const theirs = tx.selectFrom('customer_ratings').select('at_least').where('customer_id', '=', id)
  const now = await theirs.where('replaced_at', 'is', null).executeTakeFirst()
  if (!now?.at_least) return
  await tx
    .updateTable('customer_ratings')
    .set({ customer_id: null, account, memo, person, left_at: at })
    .where('customer_id', '=', id)
    .execute()
}

/** The condition in SQL for ratings of those who were deleted and had the wallet, or were the same person. */
export async function isFormerOf(
  db: Db<Tables>,
  { account, memo }: Pick<Rated, 'account' | 'memo'>,
): Promise<RawBuilder<boolean>> {
  const { id: person } = await personOf(db, account, memo)
  const same = person === null ? [] : await samePersons(db, person)
  return sql<boolean>`(customer_id is null and (person = any(${same}::text[])
    or (account = ${account} and memo is not distinct from ${memo})))`
}

/** What counts of them. */
export async function formerRatings(db: Db<Tables>, of: Pick<Rated, 'account' | 'memo'>): Promise<Row[]> {
  const query = db.selectFrom('customer_ratings').selectAll().where('replaced_at', 'is', null)
  return query.where(await isFormerOf(db, of)).execute()
}

/** Someone looked at who came: what was said before counts no more. */
export async function replaceFormer(tx: Db<Tables>, rows: readonly Row[], at: Date): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await tx.updateTable('customer_ratings').set({ replaced_at: at }).where('id', 'in', ids).execute()
}

const [ACCOUNT, MEMO] = [sql<string>`customer_ratings.account`, sql<string | null>`customer_ratings.memo`]
const theirNames = namesInCases({ id: sql<string>`null::uuid`, account: ACCOUNT, memo: MEMO })

/** Removes those of customers who were deleted before, except while someone looks into what they did. */
export async function removeFormer(tx: Db<Tables>, before: Date): Promise<void> {
  await tx
    .deleteFrom('customer_ratings')
    .where('left_at', '<', before)
    .where(({ not }) => not(isLookedInto(sql`null`, theirNames)))
    .execute()
}
