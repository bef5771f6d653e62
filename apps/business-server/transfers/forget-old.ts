import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

/** Removes messages that were delivered more than 30 days ago; transfers and their history stay. */
export async function forgetOldMessages({ database: { db } }: Deps): Promise<void> {
  await sql`delete from outbox where delivered_at < now() - interval '30 days'`.execute(db)
  await sql`delete from platform_calls where delivered_at < now() - interval '30 days'`.execute(db)
  await sql`delete from webhook_deliveries where state = 'delivered' and delivered_at < now() - interval '30 days'`.execute(
    db,
  )
}
