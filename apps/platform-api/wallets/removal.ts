import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newToken, tokenHash } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'

/** How long the link in an email works. */
export const REMOVAL_DAYS = 30

/** What a link in an email removes. */
export interface Removal {
  customerId: string
  account: string
  memo: string | null
}

/** A link, for an email, that removes the account from its customer: once, without a session. */
export async function createRemovalLink(
  { config }: Pick<Deps, 'config'>,
  tx: PlatformDb,
  { customerId, account, memo }: Removal,
): Promise<string> {
  const token = newToken()
  await tx
    .insertInto('wallet_removals')
    .values({
      token_hash: tokenHash(token),
      customer_id: customerId,
      account,
      memo: memo ?? '',
      expires_at: sql<Date>`now() + ${REMOVAL_DAYS} * interval '1 day'`,
    })
    .execute()
  // Behind the #, a token reaches no server and no log.
  return `${config.urls.customerPortal}/remove-wallet#token=${token}`
}

/** What a link removes; it stays usable. Throws `removal-link-gone`. */
export async function readRemoval(db: PlatformDb, token: string): Promise<Removal> {
  const row = await db
    .selectFrom('wallet_removals')
    .select(['customer_id', 'account', 'memo'])
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return asRemoval(row)
}

/** Uses a link: it works once. Throws `removal-link-gone`. */
export async function useRemoval(tx: PlatformDb, token: string): Promise<Removal> {
  const row = await tx
    .deleteFrom('wallet_removals')
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['customer_id', 'account', 'memo'])
    .executeTakeFirst()
  return asRemoval(row)
}

function asRemoval(row: { customer_id: string; account: string; memo: string } | undefined): Removal {
  if (!row)
    throw new Problem('removal-link-gone', 'This link was used, or has expired. Sign in to see your wallets.')
  return { customerId: row.customer_id, account: row.account, memo: row.memo || null }
}

export async function deleteRemovalsOf(tx: PlatformDb, customerId: string): Promise<void> {
  await tx.deleteFrom('wallet_removals').where('customer_id', '=', customerId).execute()
}

export async function pruneRemovals(db: PlatformDb): Promise<void> {
  await sql`delete from wallet_removals where expires_at < now()`.execute(db)
}
