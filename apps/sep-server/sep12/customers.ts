import { enqueue } from '@windlass/service/outbox.ts'
import { Problem } from '@windlass/service/problem.ts'
import { randomUUID } from 'node:crypto'
import type { CustomerKey } from '../business/business-server.ts'
import type { Deps } from '../deps.ts'

/** Throws 404 where the customer is not known. */
export async function deleteCustomer(deps: Deps, key: CustomerKey): Promise<void> {
  await deps.business.deleteCustomer(await demandId(deps, key))
}

/** Remembers where changes of the customer's status are told. Throws 404 where the customer is not known. */
export async function setCallback(deps: Deps, key: CustomerKey, url: string): Promise<void> {
  const row = {
    customer_id: await demandId(deps, key),
    account: key.account ?? '',
    account_memo: key.memo ?? null,
    url,
  }
  await deps.database.db
    .insertInto('customer_callbacks')
    .values(row)
    .onConflict(conflict => conflict.column('customer_id').doUpdateSet({ url }))
    .execute()
}

async function demandId({ business }: Deps, key: CustomerKey): Promise<string> {
  const { id } = await business.getCustomer(key)
  if (!id) throw new Problem('not-found', 'There is no such customer.')
  return id
}

/** Sends the customer's new state to where `PUT /customer/callback` asked for it; false where nobody did. */
export async function tellCustomerChanged(deps: Deps, customerId: string): Promise<boolean> {
  const { db } = deps.database
  const callback = await db
    .selectFrom('customer_callbacks')
    .selectAll()
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  if (!callback) return false
  const customer = await deps.business.getCustomer({ id: customerId, account: callback.account })
  const payload = { url: callback.url, body: JSON.stringify(customer) }
  await enqueue(db, 'customer-callback', randomUUID(), payload)
  return true
}
