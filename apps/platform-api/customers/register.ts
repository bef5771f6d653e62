import type { PlatformDb } from '../database.ts'
import { newId } from '../ids.ts'

/** The customer with this (lower-case) address, registered where there is none. */
export async function registerCustomer(tx: PlatformDb, email: string, now: Date) {
  const created = await tx
    .insertInto('customers')
    .values({ id: newId('cus'), email, created_at: now })
    .onConflict(conflict => conflict.column('email').doNothing())
    .returning(['id', 'email'])
    .executeTakeFirst()
  if (created) return { customer: created, isNew: true }
  const customer = await tx
    .selectFrom('customers')
    .select(['id', 'email'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return { customer, isNew: false }
}
