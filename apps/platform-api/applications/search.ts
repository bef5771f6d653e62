import { sql } from 'kysely'
import { escapeLike } from '../infrastructure/like.ts'
import type { PlatformDb } from '../tables.ts'

/** How many applications wait for a review, and since when. */
export async function countWaiting(db: PlatformDb): Promise<{ waiting: number; oldest: Date | null }> {
  return db
    .selectFrom('applications')
    .select([sql<number>`count(*)::int`.as('waiting'), sql<Date | null>`min(created_at)`.as('oldest')])
    .where('status', '=', 'applied')
    .executeTakeFirstOrThrow()
}

const companyName = sql<string>`company_profile ->> 'name'`

/** Applications whose company, email or id contains the text, the newest first. */
export function searchApplications(db: PlatformDb, text: string, limit: number) {
  const part = `%${escapeLike(text)}%`
  return db
    .selectFrom('applications')
    .select(['id', companyName.as('label')])
    .where(
      sql<boolean>`(${companyName} ilike ${part} or company_profile ->> 'businessEmail' ilike ${part} or id = ${text})`,
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Companies by application. */
export async function companyNames(db: PlatformDb, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await db
    .selectFrom('applications')
    .select(['id', companyName.as('name')])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
