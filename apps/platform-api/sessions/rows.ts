import { sql } from 'kysely'
import type { FastifyRequest } from 'fastify'
import type { PlatformDb } from '../database.ts'
import { newId } from '../ids.ts'
import type { BrowserRealm } from './table.ts'

export interface NewSession {
  realm: BrowserRealm
  subject: string
  /** Seconds until it ends whatever happens. */
  lifetime: number
  /** Seconds without a request until it ends. */
  idle?: number
}

/** Opens a session in the database's own time. Where it was opened from is kept for its owner to see. */
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

// A row is written at most once in this time, not with every request.
const SEEN_EVERY = sql`interval '30 seconds'`

/** The session where it is alive, marked as seen; null where it has ended, timed out or never was. */
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
