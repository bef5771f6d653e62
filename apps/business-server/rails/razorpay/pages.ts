import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { PaymentPage, Tables } from '../../tables.ts'

/** A customer may have begun to pay just before a page closes. */
const AFTER_CLOSING = sql`interval '2 hours'`
const CHECK_AGAIN = sql`least(interval '1 hour', interval '1 minute' * power(2, least(checks, 10)))`

export async function findPage(db: Db<Tables>, rail: string, reference: string): Promise<PaymentPage | null> {
  const query = db.selectFrom('payment_pages').selectAll()
  return (await query.where('rail', '=', rail).where('reference', '=', reference).executeTakeFirst()) ?? null
}

/** The page of a reference: the first one that was added. */
export async function addPage(
  db: Db<Tables>,
  page: Pick<PaymentPage, 'rail' | 'reference' | 'provider_id' | 'url' | 'expires_at'>,
): Promise<PaymentPage> {
  await db
    .insertInto('payment_pages')
    .values({ ...page, closed_at: null })
    .onConflict(conflict => conflict.columns(['rail', 'reference']).doNothing())
    .execute()
  const added = await findPage(db, page.rail, page.reference)
  if (!added) throw new Error('a payment page is missing')
  return added
}

const openPages = (rail: string) => ({
  table: 'payment_pages',
  dueAt: 'next_check_at',
  where: sql`closed_at is null and rail = ${rail}`,
  longestSeconds: RETRIES_WITHIN_SECONDS,
})

/** For the due work. */
export const pagesDueAt = (rail: string) => firstDueAt(openPages(rail))

export function claimPages(db: Db<Tables>, rail: string): Promise<PaymentPage[]> {
  return claimDue<PaymentPage, Tables>(db, {
    ...openPages(rail),
    key: 'provider_id',
    leaseSeconds: 60,
    limit: 20,
    set: sql`checks = checks + 1`,
  })
}

/** Notes that a page was looked at. It closes once it is paid, or some time after it expired. */
export async function noteChecked(db: Db<Tables>, page: PaymentPage, isPaid: boolean): Promise<void> {
  await db
    .updateTable('payment_pages')
    .set({
      next_check_at: sql<Date>`now() + ${CHECK_AGAIN}`,
      closed_at: sql<Date | null>`case when ${isPaid} or expires_at + ${AFTER_CLOSING} < now() then now() end`,
    })
    .where('provider_id', '=', page.provider_id)
    .execute()
}
