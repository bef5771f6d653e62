import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'

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

/** Throws `not-found` for a session of somebody else as for one that never was. */
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
