import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { SepDatabase } from '../database.ts'

/** Marks a challenge as used; false where it was already. */
export async function useChallenge(db: Db<SepDatabase>, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const inserted = await db
    .insertInto('sep10_used_challenges')
    .values({ hash, expires_at: expiresAt })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Forgets challenges that have expired long enough ago for no clock to accept them. */
export async function forgetExpiredChallenges(db: Db<SepDatabase>): Promise<void> {
  await sql`delete from sep10_used_challenges where expires_at < now() - interval '1 hour'`.execute(db)
}
