import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import type { Customer } from './customer.ts'

/** The customer of an account and memo, made where there is none. */
export async function ensureCustomer(
  db: Db<BusinessDatabase>,
  account: string,
  memo: string | null,
): Promise<Customer> {
  await db
    .insertInto('customers')
    .values({ account, memo, central_id: null, pending_email: null })
    .onConflict(conflict => conflict.columns(['account', 'memo']).doNothing())
    .execute()
  const row = await findCustomer(db, account, memo)
  if (!row) throw new Error('the customer was not written')
  return row
}

export async function findCustomer(
  db: Db<BusinessDatabase>,
  account: string,
  memo: string | null,
): Promise<Customer | null> {
  const row = await db
    .selectFrom('customers')
    .selectAll()
    .where('account', '=', account)
    .where(sql<boolean>`memo is not distinct from ${memo}`)
    .executeTakeFirst()
  return row ?? null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export async function findCustomerById(db: Db<BusinessDatabase>, id: string): Promise<Customer | null> {
  if (!UUID.test(id)) return null
  return (await db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** What is known here of a central customer, and since when. */
export async function localStatus(
  db: Db<BusinessDatabase>,
  centralId: string | null,
): Promise<{ status: KycStatus; updated_at: Date } | null> {
  if (centralId === null) return null
  const row = await db
    .selectFrom('kyc_statuses')
    .select(['status', 'updated_at'])
    .where('central_id', '=', centralId)
    .executeTakeFirst()
  return row ?? null
}

export async function changeCustomer(
  db: Db<BusinessDatabase>,
  id: string,
  change: { central_id?: string | null; pending_email?: string | null; fields?: string },
): Promise<void> {
  await db.updateTable('customers').set(change).where('id', '=', id).execute()
}
