import { sql } from 'kysely'
import { newToken, tokenHash } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import { endSession } from './sessions.ts'

/** Seconds that a refresh token and, without a refresh, its session last. */
export const REFRESH_SECONDS = 14 * 24 * 3600
// Two tabs may refresh with the same token at once.
const GRACE = sql`interval '10 seconds'`
const EXPIRY = sql<Date>`now() + ${REFRESH_SECONDS} * interval '1 second'`
/** Seconds after which an operator signs in again, however often the session was refreshed. */
const ABSOLUTE_SECONDS = 30 * 24 * 3600
/** As that, for a session of one organization: who leaves its directory is out by then. */
export const ORGANIZATION_SECONDS = 12 * 3600
const ABSOLUTE = sql`case when organization_id is null then ${ABSOLUTE_SECONDS}::int else ${ORGANIZATION_SECONDS}::int end * interval '1 second'`

/** A new refresh token of an operator's session. */
export async function createRefreshToken(tx: PlatformDb, sessionId: string): Promise<string> {
  const token = newToken()
  await tx
    .insertInto('refresh_tokens')
    .values({ token_hash: tokenHash(token), session_id: sessionId, expires_at: EXPIRY, rotated_at: null })
    .execute()
  return token
}

/**
 * Exchanges a refresh token for a new one and extends its session, to 30 days after the sign-in at most. Null for a token that is unknown, expired or of an
 * ended session, and for one that was rotated more than ten seconds ago, which ends the session: two parties hold it.
 */
export async function rotateRefreshToken(
  tx: PlatformDb,
  token: string,
): Promise<{ userId: string; sessionId: string; refreshToken: string } | null> {
  const row = await tx
    .selectFrom('refresh_tokens as r')
    .innerJoin('sessions as s', 's.id', 'r.session_id')
    .select([
      'r.session_id as sessionId',
      's.subject as userId',
      'r.rotated_at',
      sql<boolean>`r.rotated_at < now() - ${GRACE}`.as('reused'),
      sql<boolean>`r.expires_at > now() and s.expires_at > now() and s.ended_at is null and s.awaits is null
        and s.created_at > now() - ${ABSOLUTE}`.as('alive'),
    ])
    .where('r.token_hash', '=', tokenHash(token))
    .forUpdate()
    .executeTakeFirst()
  if (!row?.alive) return null
  const { userId, sessionId } = row
  if (row.rotated_at && row.reused) {
    await endSession(tx, 'operator', sessionId)
    return null
  }
  await tx
    .updateTable('refresh_tokens')
    .set({ rotated_at: sql<Date>`coalesce(rotated_at, now())` })
    .where('token_hash', '=', tokenHash(token))
    .execute()
  await tx
    .updateTable('sessions')
    .set({
      expires_at: sql<Date>`least(${EXPIRY}, created_at + ${ABSOLUTE})`,
      last_seen_at: sql<Date>`now()`,
    })
    .where('id', '=', sessionId)
    .execute()
  return { userId, sessionId, refreshToken: await createRefreshToken(tx, sessionId) }
}

/** The id of the session that a refresh token belongs to. */
export async function sessionOfRefreshToken(db: PlatformDb, token: string): Promise<string | null> {
  const row = await db
    .selectFrom('refresh_tokens')
    .select('session_id')
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst()
  return row?.session_id ?? null
}
