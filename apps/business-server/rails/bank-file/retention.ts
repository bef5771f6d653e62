import type { Db } from '@windlass/service/postgres/database.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../tables.ts'

type IsHeld = (payout: RawBuilder<string>) => RawBuilder<boolean>
interface Due {
  before: Date
  now: Date
  /** Whether nothing of a payout may be removed. */
  isHeld: IsHeld
  limit: number
}

/**
 * Removes what files say that were made before and whose payouts have ended. Their hashes, sums and approvals stay.
 *
 * @returns how many.
 */
export async function removeFileContents(
  tx: Db<Tables>,
  { before, now, isHeld, limit }: Due,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update payout_files set sealed = null, sealed_sheet = null, removed_at = ${now} where id in (
      select f.id from payout_files f
      where f.removed_at is null and f.created_at < ${before} and f.state <> 'created' and not exists (
        select from bank_payouts p
        where (p.file_id = f.id or p.id in (select payout_id from rejected_payouts where file_id = f.id))
          and (p.ended_at is null or ${isHeld(sql`p.id`)}))
      order by f.created_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

/** Removes accounts and holders that people added to payouts that ended before. @returns how many. */
export async function removePayoutAccounts(
  tx: Db<Tables>,
  { before, isHeld, limit }: Omit<Due, 'now'>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update bank_payouts set sealed_destination = null where id in (
      select p.id from bank_payouts p
      where p.sealed_destination is not null and p.ended_at < ${before}
        and not ${isHeld(sql`p.id`)}
      order by p.ended_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}
