import type { Db } from '@windlass/service/postgres/database.ts'
import { envelopeBytes, type ReadChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** Marks a signed challenge as used; false if it already was. */
export async function markUsed(
  db: Db<Tables>,
  { hash, expiresAt, account, memo }: ReadChallenge,
  envelope: string,
): Promise<boolean> {
  const shared = memo !== null || account.startsWith('M')
  const inserted = await db
    .insertInto('sep10_used_challenges')
    .values({
      hash,
      expires_at: expiresAt,
      account: shared ? null : account,
      transaction: shared ? null : envelopeBytes(envelope),
    })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** As {@link markUsed}, for the challenge of a contract account (SEP-45), which proves nothing to the platform. */
export async function markContractChallengeUsed(
  db: Db<Tables>,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const inserted = await db
    .insertInto('sep10_used_challenges')
    .values({ hash, expires_at: expiresAt, account: null, transaction: null })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** The signed challenge of the account's last login, in base64; null if it was deleted. */
export async function lastLogin(db: Db<Tables>, account: string): Promise<string | null> {
  const row = await db
    .selectFrom('sep10_used_challenges')
    .select('transaction')
    .where('account', '=', account)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.transaction?.toString('base64') ?? null
}

/** Deletes challenges that expired too long ago for any clock to accept them. */
export async function deleteExpiredChallenges(db: Db<Tables>): Promise<void> {
  await sql`delete from sep10_used_challenges where expires_at < now() - interval '1 hour'`.execute(db)
}
