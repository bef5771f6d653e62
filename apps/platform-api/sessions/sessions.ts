import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { newId } from '../ids.ts'
import type { BrowserRealm, PlatformDb } from '../tables.ts'

interface NewSession {
  realm: BrowserRealm
  subject: string
  /** Seconds until it ends whatever happens. */
  lifetime: number
  /** Seconds without a request until it ends. */
  idle?: number
}

/** Opens a session, by the database's clock. Address and user agent are stored for its owner to see. */
export async function openSession(
  tx: PlatformDb,
  session: NewSession,
  request: FastifyRequest,
): Promise<string> {
  const id = newId('ses')
  await tx
    .insertInto('sessions')
    .values({
      id,
      realm: session.realm,
      subject: session.subject,
      address: request.clientAddress,
      user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
      expires_at: sql<Date>`now() + ${session.lifetime} * interval '1 second'`,
      idle_seconds: session.idle ?? null,
      ended_at: null,
    })
    .execute()
  return id
}

// `last_seen_at` is written at most this often.
const SEEN_EVERY = sql`interval '30 seconds'`

/** The live session, marked as seen; null where it has ended, expired or does not exist. */
export async function liveSession(
  db: PlatformDb,
  realm: BrowserRealm,
  id: string,
): Promise<{ subject: string; expiresAt: Date } | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['subject', 'expires_at', sql<boolean>`last_seen_at < now() - ${SEEN_EVERY}`.as('unseen')])
    .where('id', '=', id)
    .where('realm', '=', realm)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`(idle_seconds is null or last_seen_at > now() - idle_seconds * interval '1 second')`)
    .executeTakeFirst()
  if (!row) return null
  if (row.unseen) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
  }
  return { subject: row.subject, expiresAt: row.expires_at }
}

/** Ends a session at once; nothing happens where it has ended. */
export async function endSession(db: PlatformDb, realm: BrowserRealm, id: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('realm', '=', realm)
    .where('ended_at', 'is', null)
    .execute()
}

/** The operator's open sessions, the newest first. */
export async function ownSessions(db: PlatformDb, userId: string, currentId: string) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'last_seen_at'])
    .where('realm', '=', 'operator')
    .where('subject', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
  return rows.map(row => ({
    id: row.id,
    current: row.id === currentId,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    userAgent: row.user_agent,
    address: row.address,
  }))
}

/** Throws `not-found`, also for someone else's session. */
export async function endOwnSession(db: PlatformDb, userId: string, id: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('realm', '=', 'operator')
    .where('subject', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new Problem('not-found', 'You have no open session with this id.')
}

/** How long a sign-in or confirmation allows sensitive actions. */
const FRESH = sql`interval '15 minutes'`

/** Throws `confirmation-needed` where the session was neither opened nor confirmed in the last 15 minutes. */
export async function requireConfirmed(db: PlatformDb, sessionId: string): Promise<void> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('confirmed_at', '>', sql<Date>`now() - ${FRESH}`)
    .executeTakeFirst()
  if (!row) {
    throw new Problem(
      'confirmation-needed',
      'Confirm that it is you, with a fresh code or your password, and try again.',
    )
  }
}

/** Marks a session as confirmed now, see {@link requireConfirmed}. */
export async function confirmSession(db: PlatformDb, id: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ confirmed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Removes sessions that ended or expired 30 days ago. */
export async function pruneSessions(db: PlatformDb): Promise<void> {
  await sql`delete from sessions where least(expires_at, ended_at) < now() - interval '30 days'`.execute(db)
}
