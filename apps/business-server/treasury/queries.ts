import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'

/**
 * The sum of what is promised at this moment, by the database's clock: reservations, and payments that wait to go
 * out without one, such as refunds and money that came late.
 */
export async function reservedAmount(db: Db<BusinessDatabase>): Promise<string> {
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(amount), 0) as total from (
      select amount from reservations where expires_at is null or expires_at > now()
      union all
      select amount from ledger_payments where state = 'queued' and not exists (
        select from reservations where id = transfer_id::text)
    ) promised`.execute(db)
  return rows[0]?.total ?? '0'
}
