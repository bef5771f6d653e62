import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { SepDatabase } from '../database.ts'

/** Removes what was delivered, and calls that were applied, more than 30 days ago: nobody repeats them any more. */
export async function forgetOldMessages(db: Db<SepDatabase>): Promise<void> {
  await sql`delete from outbox where delivered_at < now() - interval '30 days'`.execute(db)
  await sql`delete from applied_calls where applied_at < now() - interval '30 days'`.execute(db)
}
