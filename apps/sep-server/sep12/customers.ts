import type { ErasureAnswer } from '@windlass/contracts/anchor/retention.ts'
import { FILE_ID, type CustomerAnswer } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { CustomerKey } from '../clients/business-server.ts'
import { callbackUrl } from '../requests/callback-url.ts'
import type { Deps } from '../deps.ts'
import { demandOf } from '../requests/limits.ts'
import { dropName } from '../sep2/names.ts'
import { badRequest } from '../errors.ts'
import type { Owner } from '../tables.ts'
import { findWaitingForKyc } from '../transactions/transactions.ts'
import { businessId, dropFiles, findFiles, markForwarded } from './files.ts'
import { checkMemo, isContract, muxedParts, plainMemo } from '@windlass/stellar/addresses.ts'

const keyNames = new Set(['id', 'account', 'memo', 'memo_type', 'type', 'lang', 'transaction_id'])

/** SEP-6 and SEP-24 ask the same of all customers; wallets write `sep6-deposit` and the like. SEP-31 has its own. */
const TYPES = /^sep(6|24|38)(-[a-z]+)*$|^sep31-(sender|receiver(-[a-z]+)?)$/

/**
 * Counts a change, and files that it names, against their limits: anyone can make up memos, each of which is a customer with files that
 * are kept. Throws `too-many-requests`.
 */
export async function demandChange(
  { customerChanges, customerFiles }: Pick<Deps, 'customerChanges' | 'customerFiles'>,
  wallet: Principals['wallet'],
  texts: Readonly<Record<string, string>>,
  clientAddress: string,
): Promise<void> {
  await demandOf(customerChanges, wallet, clientAddress)
  const named = Object.keys(texts).filter(name => name.endsWith(FILE_ID))
  if (named.length > 0) await demandOf(customerFiles, wallet, clientAddress, named.length)
}

/** `PUT /customer`: sends details to the business server, and which files: those that came with them and those that `…_file_id` names. */
export async function putCustomer(
  deps: Deps,
  wallet: Principals['wallet'],
  { texts, files }: { texts: Readonly<Record<string, string>>; files: Readonly<Record<string, string>> },
  clientAddress?: string,
): Promise<{ id: string }> {
  const key = customerKey(wallet, texts)
  const given = Object.entries(texts).filter(([name]) => !keyNames.has(name))
  const named = given
    .filter(([name]) => name.endsWith(FILE_ID))
    .map(([name, id]): [string, string] => [name.slice(0, -FILE_ID.length), id])
  const all = { ...(await findFiles(deps, wallet, Object.fromEntries(named))), ...files }
  const details = Object.fromEntries([
    ...given.filter(([name]) => !name.endsWith(FILE_ID)),
    ...Object.entries(all).map(([name, id]) => [`${name}${FILE_ID}`, id]),
  ])
  const { id } = await deps.business.putCustomer({ ...details, ...key }, clientAddress)
  await markForwarded(
    deps,
    named.map(([, fileId]) => fileId),
    id,
  )
  // What was sent may have changed the status.
  await sendCustomerUpdate(deps, id).catch((error: unknown) =>
    deps.logger.warn({ err: error }, 'a change of a customer waits for the business server'),
  )
  return { id }
}

/**
 * `GET /customer`. An accepted customer is PROCESSING until the SEP-6 transactions that waited for it have moved: a wallet
 * that polls the customer finds them ready then. Where one of them needs more, such as a bank account, that is NEEDS_INFO.
 */
export async function readCustomer(
  deps: Deps,
  { or_described, ...key }: CustomerKey,
): Promise<CustomerAnswer> {
  const owner = { account: key.account ?? '', memo: key.memo ?? null }
  const described = or_described && !(await findWaitingForKyc(deps.database.db, owner))
  const asked = described ? { ...key, or_described } : key
  return whileWaiting(deps, owner, await deps.business.getCustomer(asked))
}

async function whileWaiting(deps: Deps, owner: Owner, customer: CustomerAnswer): Promise<CustomerAnswer> {
  if (customer.status !== 'ACCEPTED') return customer
  const waiting = await findWaitingForKyc(deps.database.db, owner)
  if (!waiting) return customer
  const lacking = (waiting.customer_info_updates ?? []).filter(name => !customer.provided_fields?.[name])
  if (lacking.length > 0)
    return {
      ...customer,
      status: 'NEEDS_INFO',
      ...(waiting.message ? { message: waiting.message } : {}),
      fields: Object.fromEntries(
        lacking.map(name => [name, { type: 'string', description: name.replaceAll('_', ' ') }]),
      ),
    }
  return {
    ...customer,
    status: 'PROCESSING',
    message: 'The customer is accepted. The transaction continues in a moment.',
  }
}

/** `PUT /customer/verification`, the older way to send codes. Throws 400 for other fields. */
export async function verifyCustomer(
  deps: Deps,
  wallet: Principals['wallet'],
  fields: Readonly<Record<string, string>>,
  clientAddress?: string,
): Promise<CustomerAnswer> {
  if (!fields.id) throw badRequest('id is required')
  const other = Object.keys(fields).find(name => !keyNames.has(name) && !name.endsWith('_verification'))
  if (other) throw badRequest(`${other} is not a verification`)
  const { id } = await putCustomer(deps, wallet, { texts: fields, files: {} }, clientAddress)
  return readCustomer(deps, { ...customerKey(wallet, {}), id })
}

/** `DELETE /customer`. @returns what is kept, and until when. Throws 404 for an unknown customer. */
export async function deleteCustomer(deps: Deps, key: CustomerKey): Promise<ErasureAnswer> {
  const { id } = await requireCustomer(deps, key)
  const wallet = { account: key.account ?? '', memo: key.memo ?? null }
  await dropName(deps, wallet)
  const answer = await deps.business.deleteCustomer(id)
  await forgetCustomer(deps, id, wallet)
  return answer
}

/** Removes what this server has of a customer who was deleted. */
export async function forgetCustomer(
  deps: Deps,
  id: string,
  wallet: { account: string; memo: string | null },
): Promise<void> {
  await dropName(deps, wallet)
  const dropped = await deps.database.db.transaction().execute(async tx => {
    await tx.deleteFrom('customer_callbacks').where('customer_id', '=', id).execute()
    await tx.deleteFrom('customer_files').where('customer_id', '=', id).execute()
    // Uploads that no `PUT /customer` named yet.
    return tx
      .deleteFrom('customer_files')
      .where('customer_id', 'is', null)
      .where('account', '=', wallet.account)
      .where(sql<boolean>`account_memo is not distinct from ${wallet.memo}`)
      .returning('id')
      .execute()
  })
  // They count no longer: they must not wait there either.
  await dropFiles(
    deps,
    dropped.map(file => businessId(file.id)),
  )
}

/**
 * `PUT /customer/callback`: sets the address that is called when the customer's status changes. Throws 404 for an
 * unknown customer, 400 for a wrong address.
 */
export async function setCallback(deps: Deps, key: CustomerKey, text: string): Promise<void> {
  const url = callbackUrl('url', text, deps.config.local)
  const { id, status } = await requireCustomer(deps, key)
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

async function requireCustomer(deps: Deps, key: CustomerKey): Promise<CustomerAnswer & { id: string }> {
  const customer = await readCustomer(deps, key)
  if (!customer.id) throw new Problem('not-found', 'There is no such customer.')
  return { ...customer, id: customer.id }
}

/**
 * Sends the customer's new status to the address of `PUT /customer/callback`: each status once, and nothing after
 * ACCEPTED or REJECTED until it is set again (SEP-12). The status is that of `GET /customer`: ACCEPTED is sent once no
 * transaction waits for it, by {@link sendUpdatesOf}. False if there is nothing to send.
 */
export async function sendCustomerUpdate(deps: Deps, customerId: string): Promise<boolean> {
  const { db } = deps.database
  const found = await findCallback(deps, customerId)
  if (!found) return false
  const { account, account_memo: memo } = found
  const answer = await deps.business.getCustomer({ id: customerId, account })
  const customer = await whileWaiting(deps, { account, memo }, answer)
  return db.transaction().execute(async tx => {
    const callback = await tx
      .selectFrom('customer_callbacks')
      .selectAll()
      .where('customer_id', '=', customerId)
      .forUpdate()
      .executeTakeFirst()
    if (!callback || callback.last_status === customer.status) return false
    const payload = { url: callback.url, body: JSON.stringify(customer) }
    await enqueue(tx, 'customer-callback', randomUUID(), payload, deps.sealer, new URL(callback.url).host)
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
    .select(['account', 'account_memo'])
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
}

/** As {@link sendCustomerUpdate}, for the customers of a wallet whose transaction has stopped waiting for them. */
export async function sendUpdatesOf(deps: Deps, { account, memo }: Owner): Promise<void> {
  const callbacks = await deps.database.db
    .selectFrom('customer_callbacks')
    .select('customer_id')
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
    .execute()
  for (const { customer_id } of callbacks) await sendCustomerUpdate(deps, customer_id)
}

interface Given {
  id?: string
  account?: string
  memo?: string
  memo_type?: string
  type?: string
  lang?: string
  transaction_id?: string
}

/**
 * Which customer a request is about: always one of the token's account. Customers of one account differ by memo; the
 * request cannot change a memo in the token, nor the id in a muxed account. Throws 400.
 */
export function customerKey(wallet: Principals['wallet'], given: Given): CustomerKey {
  if (given.account && given.account !== wallet.account) {
    throw badRequest('account is not the account of the token')
  }
  if (given.type && !TYPES.test(given.type)) {
    throw badRequest('type must be empty, or that of a protocol: sep6, sep24, or one that /sep31/info names')
  }
  const memo = memoOf(wallet, given)
  return {
    id: given.id || undefined,
    account: wallet.account,
    memo,
    memo_type: memo === undefined ? undefined : 'id',
    type: given.type || undefined,
    lang: given.lang || undefined,
    transaction_id: given.transaction_id || undefined,
  }
}

function memoOf(wallet: Principals['wallet'], { memo, memo_type }: Given): string | undefined {
  const muxed = muxedParts(wallet.account)
  const fixed = muxed?.id ?? wallet.memo
  if (memo && isContract(wallet.account)) throw badRequest('memo and a contract account cannot be combined')
  const type = memo_type || 'id'
  const wrong = memo && fixed === null ? checkMemo(memo, type) : null
  if (wrong) throw badRequest(`memo ${wrong}`)
  const given = memo && checkMemo(memo, type) === null ? plainMemo(memo, type) : memo
  if (fixed !== null && given && given !== fixed) throw badRequest('memo is not the memo of the token')
  // The muxed account itself names the customer.
  if (muxed) return undefined
  return wallet.memo ?? (given || undefined)
}
