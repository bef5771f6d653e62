import type { Db } from '@windlass/service/postgres/database.ts'
import { type RawBuilder, sql } from 'kysely'
import { isLookedInto } from '../people/compliance/cases.ts'
import { namesInCases } from '../people/customers/kept.ts'
import { transfersOf } from './find.ts'
import { isComplainedOf } from '../people/registers/entries.ts'
import type { Tables } from '../tables.ts'

const [ID, ACCOUNT, MEMO] = [sql<string>`t.id`, sql<string>`t.account`, sql<string | null>`t.account_memo`]
const theirCustomers = sql<string>`${namesInCases({ id: ID, account: ACCOUNT, memo: MEMO })}
  union all values (t.customer_id::text), (t.receiver_id::text)`

/**
 * Whether someone looks into a transaction or its customers, has a complaint or dispute about it, or is owed something of it: then
 * nothing about it is removed.
 */
export const isTransferHeld = (id: RawBuilder<string>) => sql<boolean>`exists (select from transfers t
  where t.id = ${id} and (${isLookedInto(sql`t.id::text`, theirCustomers)}
    or ${isComplainedOf(sql`t.id::text`, theirCustomers)}
    or exists (select from rail_disputes d where d.transfer_id = t.id
      and (d.state = 'open' or d.deducted <> d.booked or d.booked_as = 'suspense'))
    or exists (select from customer_debts d where d.transfer_id = t.id and d.state = 'open')))`

/** Whether a transaction has not ended, in a query of another table. */
export const isTransferOpen = (id: RawBuilder<string>) => sql<boolean>`exists (select from transfers t
  where t.id = ${id} and t.state not in ('completed', 'returned', 'expired', 'failed'))`

/** Whether anything is open about a customer or one of their transactions. */
export async function isCustomerHeld(
  db: Db<Tables>,
  customer: { id: string; account: string; memo: string | null },
): Promise<boolean> {
  const names = namesInCases({
    id: sql`null::uuid`,
    account: sql`${customer.account}::text`,
    memo: sql`${customer.memo}::text`,
  })
  const transfers = (await transfersOf(db, customer)).map(({ id }) => id)
  const { rows } = await sql<{ held: boolean }>`select ${isLookedInto(sql`null`, names)}
    or ${isComplainedOf(sql`null`, names)}
    or exists (select from unnest(${transfers}::uuid[]) as transfer where ${isTransferHeld(sql`transfer`)}) as held`.execute(
    db,
  )
  return rows[0]?.held === true
}

interface Due {
  before: Date
  limit: number
}

/** Removes the bank accounts that ended withdrawals of before were paid to. @returns how many. */
export async function removeAccounts(
  tx: Db<Tables>,
  { before, now, limit }: Due & { now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update transfers set sealed_destination = null, destination = '{}', account_removed_at = ${now} where id in (
      select t.id from transfers t
      where t.account_removed_at is null and (t.sealed_destination is not null or t.destination <> '{}')
        and t.updated_at < ${before} and t.state in ('completed', 'returned', 'expired', 'failed')
        and not ${isTransferHeld(sql`t.id`)}
      order by t.updated_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

/** Removes what people wrote about transactions. @returns how many notes. */
export async function removeNotes(tx: Db<Tables>, { before, limit }: Due): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from transfer_notes where id in (
      select n.id from transfer_notes n
      where n.at < ${before} and not ${isTransferHeld(sql`n.transfer_id`)}
      order by n.at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}
