import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { requireSession } from '../sessions/guard.ts'
import type { PlatformDb } from '../tables.ts'

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

/** The customer's row, or undefined. */
export const findCustomer = (db: PlatformDb, id: string) =>
  db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()

/** The customer with this (lower-case) address, or undefined. */
export const findCustomerByEmail = (db: PlatformDb, email: string) =>
  db.selectFrom('customers').select(['id', 'email']).where('email', '=', email).executeTakeFirst()

/** `ns_customer`: a live token whose session has not ended. */
export function customerGuard(deps: Deps): Guard<'customer'> {
  return async request => {
    const { subject, sessionId } = await requireSession(deps, 'customer', request)
    const customer = await findCustomer(deps.database.db, subject)
    if (!customer) throw new Problem('unauthenticated', 'Sign in again.')
    return { customerId: subject, sessionId, email: customer.email }
  }
}

/** Two decisions about one customer wait for each other, also before there is a row to lock elsewhere. */
export async function lockCustomer(tx: PlatformDb, id: string): Promise<void> {
  await tx.selectFrom('customers').select('id').where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

/** Deletes the customer's row, once nothing else refers to it. Returns their address. */
export async function deleteCustomer(tx: PlatformDb, id: string): Promise<string> {
  const { email } = await tx
    .deleteFrom('customers')
    .where('id', '=', id)
    .returning('email')
    .executeTakeFirstOrThrow()
  return email
}
