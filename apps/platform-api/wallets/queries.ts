import type { Wallet } from '@windlass/contracts/customers.ts'
import type { Selectable } from 'kysely'
import type { PlatformDb } from '../database.ts'
import type { WalletsTable } from './table.ts'

export const walletsOf = (db: PlatformDb, customerId: string) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()

export const findWallet = (db: PlatformDb, customerId: string, id: string) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()

/** Whether somebody else has proven to hold the address. */
export async function isProvenByAnother(
  db: PlatformDb,
  address: string,
  customerId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('wallets')
    .select('id')
    .where('address', '=', address)
    .where('verified_at', 'is not', null)
    .where('customer_id', '!=', customerId)
    .executeTakeFirst()
  return row !== undefined
}

export const asWallet = (row: Selectable<WalletsTable>): Wallet => ({
  id: row.id,
  address: row.address,
  label: row.label,
  network: row.network,
  verified: row.verified_at !== null,
  createdAt: row.created_at.toISOString(),
})
