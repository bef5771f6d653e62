import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'

/** The sum of what is promised at this moment, by the database's clock. */
export async function reservedAmount(db: Db<BusinessDatabase>): Promise<string> {
  const { total } = await db
    .selectFrom('reservations')
    .select(sql<string>`coalesce(sum(amount), 0)`.as('total'))
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow()
  return total
}
