import type { Db } from '@windlass/service/postgres/database.ts'
import { type RawBuilder, sql } from 'kysely'
import { isActedOn } from '../money/approvals/approvals.ts'
import { transferOf } from '../payments/rail-orders.ts'
import { isOfSubject } from '../people/compliance/cases.ts'
import type { IsHeld } from '../people/retention/rules.ts'
import { isLineSentBack } from '../rails/bank-file/payouts.ts'
import type { Tables } from '../tables.ts'
import { isTransferOpen } from '../transfers/retention.ts'

/* What statements and payout files say of people, removed when its years are over. */

/** A payment that a file carries: while someone looks into it or its transaction, nothing of it is removed. */
export const isPayoutHeld =
  (isHeld: IsHeld) =>
  (payout: RawBuilder<string>): RawBuilder<boolean> =>
    sql`(${isHeld(transferOf(payout))} or ${isOfSubject(sql`'payout'`, sql`${payout}::text`)})`

/**
 * Removes texts, names and accounts of decided lines that were booked before. Days, amounts and what they were matched to stay:
 * the journal rests on them.
 *
 * @returns how many.
 */
export async function removeLineDetails(
  tx: Db<Tables>,
  { before, now, isHeld, limit }: { before: Date; now: Date; isHeld: IsHeld; limit: number },
): Promise<number> {
  const day = before.toISOString().slice(0, 10)
  const held = isPayoutHeld(isHeld)
  const { numAffectedRows } = await sql`
    update bank_lines set sealed = null, payer_digest = null, facts = null, removed_at = ${now}
    where id in (
      select l.id from bank_lines l
      where l.removed_at is null and l.booked_on < ${day} and l.state in ('matched', 'returned', 'ignored')
        and not ${isTransferOpen(sql`l.transfer_id`)}
        and not ${isHeld(sql`l.transfer_id`)}
        and not ${held(sql`l.order_id`)}
        and not ${isActedOn(sql`l.id`)}
        and not ${isLineSentBack(sql`l.id`, held)}
      order by l.booked_on, l.id limit ${limit} for update skip locked)`.execute(tx)
  return Number(numAffectedRows)
}

/** Removes files of banks that came before, once nothing is kept of what their lines say. @returns how many. */
export async function removeStatementFiles(
  tx: Db<Tables>,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update bank_statement_files set sealed = null, removed_at = ${now} where statement_id in (
      select f.statement_id from bank_statement_files f join bank_statements s on s.id = f.statement_id
      where f.removed_at is null and s.created_at < ${before} and not exists (
        select from bank_lines l where l.removed_at is null and (l.statement_id = s.id or l.id in (
          select p.line_id from bank_line_places p join bank_statement_parts t on t.id = p.part_id
          where t.statement_id = s.id)))
      order by s.created_at limit ${limit}) returning statement_id as id`.execute(tx)
  const ids = rows.map(({ id }) => id)
  // What did not count of a file is quoted from it.
  await sql`update bank_statements set left_out = (select coalesce(jsonb_agg(each || '{"detail": ""}'), '[]')
    from jsonb_array_elements(left_out) each) where id = any(${ids}::uuid[])`.execute(tx)
  return rows.length
}

/** Removes the accounts that returns went to, which people named. @returns how many. */
export async function removeReturnAccounts(
  tx: Db<Tables>,
  { before, isHeld, limit }: { before: Date; isHeld: IsHeld; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update return_accounts set sealed = null where id in (
      select r.id from return_accounts r
      where r.sealed is not null and r.state <> 'waiting' and r.requested_at < ${before}
        and not ${isPayoutHeld(isHeld)(sql`r.payout_id`)}
      order by r.requested_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}
