import type { CustomerAnswer } from '@windlass/contracts/anchor-platform.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { CustomerKey } from '../business/business-server.ts'
import { callbackAddress } from '../callback-address.ts'
import type { Deps } from '../deps.ts'
import type { Fields } from '../sep-fields.ts'
import { refused } from '../sep-errors.ts'
import { customerKey } from './customer-key.ts'
import { fileKind } from './file-kind.ts'
import { dataUrl, handedOn, openNamedFiles } from './files.ts'

const keyNames = new Set(['id', 'account', 'memo', 'memo_type', 'type', 'lang', 'transaction_id'])
const FILE_ID = '_file_id'

/** `PUT /customer`: details, and files sent with them or named by `…_file_id`, go to the business server. */
export async function putCustomer(
  deps: Deps,
  wallet: Principals['wallet'],
  { texts, files }: Fields,
): Promise<{ id: string }> {
  const key = customerKey(wallet, texts)
  const given = Object.entries(texts).filter(([name]) => !keyNames.has(name))
  const named = given
    .filter(([name]) => name.endsWith(FILE_ID))
    .map(([name, id]): [string, string] => [name.slice(0, -FILE_ID.length), id])
  const opened = await openNamedFiles(deps, wallet, Object.fromEntries(named))
  const sent = Object.entries(files).map(([name, bytes]) => [name, dataUrl(fileKind(name, bytes), bytes)])
  const details = Object.fromEntries([...given.filter(([name]) => !name.endsWith(FILE_ID)), ...sent])
  const { id } = await deps.business.putCustomer({ ...details, ...key })
  // One at a time: together they would be more than one request may hold.
  for (const [name, file] of Object.entries(opened)) {
    await deps.business.putCustomer({ ...key, id, [name]: file })
  }
  await handedOn(
    deps,
    named.map(([, fileId]) => fileId),
    id,
  )
  return { id }
}

/** `PUT /customer/verification`, the older way to hand in codes. Throws a refusal for other fields. */
export async function verifyCustomer(
  deps: Deps,
  wallet: Principals['wallet'],
  fields: Readonly<Record<string, string>>,
): Promise<CustomerAnswer> {
  if (!fields.id) throw refused('id is needed')
  const other = Object.keys(fields).find(name => !keyNames.has(name) && !name.endsWith('_verification'))
  if (other) throw refused(`${other} is no verification`)
  const { id } = await putCustomer(deps, wallet, { texts: { ...fields }, files: {} })
  return deps.business.getCustomer({ ...customerKey(wallet, {}), id })
}

/** Throws 404 where the customer is not known. */
export async function deleteCustomer(deps: Deps, key: CustomerKey): Promise<void> {
  const { id } = await demand(deps, key)
  await deps.business.deleteCustomer(id)
  await deps.database.db.transaction().execute(async tx => {
    await tx.deleteFrom('customer_callbacks').where('customer_id', '=', id).execute()
    await tx.deleteFrom('customer_files').where('customer_id', '=', id).execute()
    // What was uploaded for this customer and not named yet.
    await tx
      .deleteFrom('customer_files')
      .where('customer_id', 'is', null)
      .where('account', '=', key.account ?? '')
      .where(sql<boolean>`account_memo is not distinct from ${key.memo ?? null}`)
      .execute()
  })
}

/**
 * Remembers where changes of the customer's status are told, in the place of an older address. Throws 404 where the
 * customer is not known, a refusal for an address that is none.
 */
export async function setCallback(deps: Deps, key: CustomerKey, text: string): Promise<void> {
  const url = callbackAddress('url', text, deps.config.local)
  const { id, status } = await demand(deps, key)
  const row = {
    customer_id: id,
    account: key.account ?? '',
    account_memo: key.memo ?? null,
    url,
    last_status: status,
  }
  await deps.database.db
    .insertInto('customer_callbacks')
    .values(row)
    .onConflict(conflict => conflict.column('customer_id').doUpdateSet({ url, last_status: status }))
    .execute()
}

async function demand({ business }: Deps, key: CustomerKey): Promise<CustomerAnswer & { id: string }> {
  const customer = await business.getCustomer(key)
  if (!customer.id) throw new Problem('not-found', 'There is no such customer.')
  return { ...customer, id: customer.id }
}

/**
 * Sends the customer's new state to where `PUT /customer/callback` asked for it: each status once, and nothing after
 * ACCEPTED or REJECTED until it is asked for again (SEP-12). False where nobody is to be told.
 */
export async function tellCustomerChanged(deps: Deps, customerId: string): Promise<boolean> {
  const { db } = deps.database
  const found = await findCallback(deps, customerId)
  if (!found) return false
  const customer = await deps.business.getCustomer({ id: customerId, account: found.account })
  return db.transaction().execute(async tx => {
    const callback = await tx
      .selectFrom('customer_callbacks')
      .selectAll()
      .where('customer_id', '=', customerId)
      .forUpdate()
      .executeTakeFirst()
    if (!callback || callback.last_status === customer.status) return false
    const payload = { url: callback.url, body: JSON.stringify(customer) }
    await enqueue(tx, 'customer-callback', randomUUID(), payload)
    const final = customer.status === 'ACCEPTED' || customer.status === 'REJECTED'
    if (final) await tx.deleteFrom('customer_callbacks').where('customer_id', '=', customerId).execute()
    else {
      await tx
        .updateTable('customer_callbacks')
        .set({ last_status: customer.status })
        .where('customer_id', '=', customerId)
        .execute()
    }
    return true
  })
}

function findCallback({ database }: Deps, customerId: string) {
  return database.db
    .selectFrom('customer_callbacks')
    .select('account')
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
}
