import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'

/**
 * Whose wallet an address is: the customer who has proven it, else whoever linked it first; on the public network
 * a proof is needed. Throws `customer-not-found`.
 */
export async function ownerOf(db: PlatformDb, address: string, provenOnly: boolean) {
  let query = db
    .selectFrom('wallets')
    .select(['customer_id as customerId', sql<boolean>`verified_at is not null`.as('walletVerified')])
    .where('address', '=', address)
    .orderBy(sql`verified_at is null`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
  if (provenOnly) query = query.where('verified_at', 'is not', null)
  const owner = await query.executeTakeFirst()
  if (!owner) throw new Problem('customer-not-found', 'No customer has linked this wallet.')
  return owner
}
