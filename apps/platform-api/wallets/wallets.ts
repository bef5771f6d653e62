import type { Wallet } from '@windlass/contracts/platform/customers.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { type Selectable, sql } from 'kysely'
import type { PlatformDb } from '../tables.ts'
import type { WalletsTable } from '../customer-tables.ts'

/** A customer's wallets, newest first: all of them, or a page. */
export function walletsOf(db: PlatformDb, customerId: string, page?: PageQuery) {
  let query = db
    .selectFrom('wallets')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  if (page) query = query.limit(pageSize(page))
  const start = page && pageStart(page)
  if (start) query = query.where(sql<boolean>`(created_at, id) < (${start.createdAt}, ${start.id})`)
  return query.execute()
}

export const findWallet = (db: PlatformDb, customerId: string, id: string) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()

/**
 * Whether another customer has proven control of the address to the platform itself; with `orAtAnchor` also by a login
 * at an anchor.
 */
export async function isProvenByAnother(
  db: PlatformDb,
  address: string,
  customerId: string,
  orAtAnchor = false,
): Promise<boolean> {
  let query = db
    .selectFrom('wallets')
    .select('id')
    .where('address', '=', address)
    .where('verified_at', 'is not', null)
    .where('customer_id', '!=', customerId)
  if (!orAtAnchor) query = query.where('proven_at_anchor', 'is', null)
  return exists(query)
}

export const asWallet = (row: Omit<Selectable<WalletsTable>, 'proven_at_anchor'>): Wallet => ({
  id: row.id,
  address: row.address,
  label: row.label,
  network: row.network,
  verified: row.verified_at !== null,
  createdAt: row.created_at.toISOString(),
})

/** Customers who have proven or linked an address: a proven owner first, then in the order of linking. */
export const holdersOf = (db: PlatformDb, address: string) =>
  db
    .selectFrom('wallets')
    .select(['customer_id as customerId', sql<boolean>`verified_at is not null`.as('walletVerified')])
    .where('address', '=', address)
    .orderBy(sql`verified_at is null`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute()

/** Whether the customer has linked the address, on whichever network. */
export async function isLinked(db: PlatformDb, customerId: string, address: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('wallets')
      .select('id')
      .where('customer_id', '=', customerId)
      .where('address', '=', address),
  )
}

/** Unlinks an address from the customer on every network. */
export async function unlinkAddress(tx: PlatformDb, customerId: string, address: string): Promise<void> {
  await tx
    .deleteFrom('wallets')
    .where('customer_id', '=', customerId)
    .where('address', '=', address)
    .execute()
}

export async function deleteWalletsOf(tx: PlatformDb, customerId: string): Promise<void> {
  await tx.deleteFrom('wallets').where('customer_id', '=', customerId).execute()
}
