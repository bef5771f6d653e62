import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { customersNamed, indexCustomer } from './search.ts'
import { type Customer, type Details, nameOf, openCustomer, sealDetails } from './seal-details.ts'
import { factsTold } from '../compliance/names/facts.ts'
import { type Party, recordName } from '../compliance/screened-names.ts'
import { compareVerifiedName, verifiedNameOf } from './verified-name.ts'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { Tables } from '../../tables.ts'

type Store = Pick<Deps, 'database' | 'sealer'>

/** The customer of an account and memo; created if there is none. */
export async function ensureCustomer(store: Store, account: string, memo: string | null): Promise<Customer> {
  const known = await findCustomer(store, account, memo)
  if (known) return known
  const added = await store.database.db
    .insertInto('customers')
    // Nothing is known yet that they are found by.
    .values({ account, memo, central_id: null, indexed: true })
    .onConflict(conflict => conflict.columns(['account', 'memo']).doNothing())
    .returningAll()
    .executeTakeFirst()
  // Another request may have added them meanwhile.
  const row = added ? openCustomer(store.sealer, added) : await findCustomer(store, account, memo)
  if (!row) throw new Error('the customer was not written')
  return row
}

/** A customer who is not stored: no row has this id. */
export const unknownCustomer = (account: string, memo: string | null, now: Date): Customer => ({
  id: randomUUID(),
  account,
  memo,
  central_id: null,
  created_at: now,
  fields: {},
  pendingEmail: null,
  unconfirmed: false,
  directType: null,
})

export async function findCustomer(
  { database, sealer }: Store,
  account: string,
  memo: string | null,
): Promise<Customer | null> {
  const row = await database.db
    .selectFrom('customers')
    .selectAll()
    .where('account', '=', account)
    .where(sql<boolean>`memo is not distinct from ${memo}`)
    .executeTakeFirst()
  return row ? openCustomer(sealer, row) : null
}

/**
 * Whether the customer is the only one of the account. Customers with a memo or a muxed id (`M…`) share it: what its owner
 * has proven says nothing about them. The platform knows no contract accounts (`C…`), whose logins prove nothing to it.
 */
export const ownsAccount = ({ account, memo }: Pick<Customer, 'account' | 'memo'>): boolean =>
  memo === null && account.startsWith('G')

export async function findCustomerById({ database, sealer }: Store, id: string): Promise<Customer | null> {
  if (!isUuid(id)) return null
  const row = await database.db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? openCustomer(sealer, row) : null
}

/** By id; those that nobody has are left out. */
export async function customersWithIds(
  { database, sealer }: Store,
  ids: readonly string[],
): Promise<Map<string, Customer>> {
  const known = [...new Set(ids)].filter(isUuid)
  if (known.length === 0) return new Map()
  const rows = await database.db.selectFrom('customers').selectAll().where('id', 'in', known).execute()
  return new Map(rows.map(row => [row.id, openCustomer(sealer, row)]))
}

/** The ids of the customers of accounts with their memos. */
export async function customersOfAccounts(
  db: Db<Tables>,
  of: readonly { account: string; account_memo: string | null }[],
): Promise<string[]> {
  if (of.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select c.id from customers c join unnest(${of.map(each => each.account)}::text[],
      ${of.map(each => each.account_memo)}::text[]) as given (account, memo)
      on c.account = given.account and c.memo is not distinct from given.memo`.execute(db)
  return [...new Set(rows.map(({ id }) => id))]
}

/** The names of organizations by the customer's id; null: the customer told none. */
export async function organizationsOf(
  store: Store,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const customers = [...(await customersWithIds(store, ids)).values()]
  return new Map(customers.map(({ id, fields }) => [id, fields['organization.name'] ?? null]))
}

/** The KYC status recorded here for a customer of the platform, with its time. */
export async function localStatus(
  db: Db<Tables>,
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

/** SEP-9 has some sixty. */
const MAX_FIELDS = 100

/** Given fields replace stored ones. Throws `validation-failed` for more fields than are stored. */
export function mergeFields(
  before: Details['fields'],
  given: Details['fields'] | undefined,
): Details['fields'] {
  const fields = { ...before, ...given }
  if (Object.keys(fields).length > MAX_FIELDS) {
    throw new Problem('validation-failed', `at most ${MAX_FIELDS} fields are kept`)
  }
  return fields
}

export type CustomerChange = Partial<Details> & { centralId?: string }

/**
 * Adds details to a customer: given fields replace stored ones. Two concurrent changes lose nothing. Throws
 * `validation-failed` for more fields than are stored.
 */
export async function changeCustomer(store: Store, id: string, change: CustomerChange): Promise<void> {
  await store.database.db.transaction().execute(tx => changeCustomerIn(tx, store.sealer, id, change))
}

/** {@link changeCustomer} in the caller's transaction: the customer as changed; null: there is none. */
export async function changeCustomerIn(
  tx: Db<Tables>,
  sealer: Sealer,
  id: string,
  change: CustomerChange,
): Promise<Customer | null> {
  const row = await tx.selectFrom('customers').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) return null
  const before = openCustomer(sealer, row)
  const after = {
    fields: mergeFields(before.fields, change.fields),
    pendingEmail: change.pendingEmail === undefined ? before.pendingEmail : change.pendingEmail,
    unconfirmed: change.unconfirmed ?? before.unconfirmed,
    directType: change.directType === undefined ? before.directType : change.directType,
  }
  const { centralId, ...details } = change
  const central_id = centralId ?? before.central_id
  const reported = Object.values(details).some(value => value !== undefined)
  await tx
    .updateTable('customers')
    .set({
      central_id,
      ...(reported ? { details: sealDetails(sealer, id, after), fields: '{}', pending_email: null } : {}),
    })
    .where('id', '=', id)
    .execute()
  if (change.fields !== undefined) {
    await indexCustomer(tx, sealer, { id, fields: after.fields })
    for (const party of namedBy({ id, ...after })) await recordName(tx, sealer, party)
  }
  if (centralId !== undefined)
    await compareVerifiedName(tx, sealer, id, await verifiedNameOf(tx, sealer, centralId))
  return { ...before, ...after, central_id }
}

/** Lists the names that a customer gave, to compare them with sanctions lists. */
export function namedBy(customer: Pick<Customer, 'id' | 'fields'>): Party[] {
  const subject = { kind: 'customer', id: customer.id } as const
  const [name, organization = null] = [nameOf(customer), customer.fields['organization.name']]
  return [
    { subject, role: 'customer', name, facts: factsTold(customer.fields) },
    { subject, role: 'organization', name: organization === name ? null : organization },
    { subject, role: 'owner', name: customer.fields['organization.shareholder_name'] ?? null },
  ]
}

/** Under which names a customer has bank accounts: that on their document, else the one that they told, and their organization's. */
export async function accountNames(
  { sealer, database: { db } }: Store,
  { fields, central_id }: Customer,
): Promise<string[]> {
  const { first_name: first, last_name: last, 'organization.name': organization } = fields
  const verified = await verifiedNameOf(db, sealer, central_id)
  const told = first && last ? `${first} ${last}` : null
  return [verified ?? told, organization].filter(name => typeof name === 'string')
}

export interface CustomerFilter extends PageQuery {
  account?: string
  status?: string
  /** Their id or account, and for the anchor's people their name, beginnings of it, or their email. */
  text?: string
}

/** Passes by a link that nobody has proven. */
const IS_LINKED = sql<boolean>`(customers.central_id is null and customers.linked_to is not null)`

/** Newest first, each with its KYC status. `names`: whether the reader may look for names. */
export async function listCustomers(store: Store, filter: CustomerFilter, names: boolean) {
  const { db } = store.database
  const start = pageStart(filter)
  let query = db
    .selectFrom('customers')
    .leftJoin('kyc_statuses', 'kyc_statuses.central_id', 'customers.central_id')
    .select(['customers.id', 'account', 'memo', 'status', 'created_at'])
    .select(IS_LINKED.as('linked'))
    .select(
      sql<Tier>`coalesce((select tier from customer_tiers where customer_tiers.central_id = customers.central_id
      order by customer_tiers.id desc limit 1), 'standard')`.as('tier'),
    )
  if (filter.account) query = query.where('account', '=', filter.account)
  if (filter.status) query = query.where(sql`coalesce(status, 'NEEDS_INFO')`, '=', filter.status)
  const text = filter.text?.trim()
  if (text) {
    const named = names ? await customersNamed(store, text) : null
    query = query.where(({ eb, or }) =>
      or([
        eb('account', '=', text),
        eb('memo', '=', text),
        ...(isUuid(text) ? [eb('customers.id', '=', text)] : []),
        ...(named ? [eb('customers.id', 'in', named)] : []),
      ]),
    )
  }
  if (start) query = query.where(after(start, 'customers.id'))
  return query.orderBy('created_at', 'desc').orderBy('customers.id', 'desc').limit(pageSize(filter)).execute()
}

export function customerForm(row: Awaited<ReturnType<typeof listCustomers>>[number]) {
  const { id, account, memo, status, linked, tier, created_at } = row
  const createdAt = created_at.toISOString()
  return { id, account, memo, status: status ?? 'NEEDS_INFO', linked, tier, createdAt }
}
