import type { SignInStep } from '@windlass/contracts/realm.ts'
import { compiled } from '@windlass/service/postgres/compiled.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { newId } from '../ids.ts'
import type { BrowserRealm } from '@windlass/contracts/realm.ts'
import type { PlatformDb } from '../tables.ts'

interface NewSession {
  realm: BrowserRealm
  subject: string
  /** Seconds until it ends whatever happens. */
  lifetime: number
  /** Seconds without a request until it ends. */
  idle?: number
  /** What has to follow before it counts; null where nothing has to. */
  awaits?: SignInStep | null
  /** The one organization that it is for; absent: all of the person's. */
  organizationId?: string
  /** When the person last proved who they are to us; absent: now, by opening it. */
  confirmedAt?: Date
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
      awaits: session.awaits ?? null,
      organization_id: session.organizationId ?? null,
      ...(session.confirmedAt && {
        confirmed_at: sql<Date>`least(now(), ${session.confirmedAt}::timestamptz)`,
      }),
    })
    .execute()
  return id
}

/** The person gave a second factor: the sign-in is complete, and confirmed as {@link confirmSession}. */
export async function completeSignIn(db: PlatformDb, id: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ awaits: null, confirmed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Throws `unauthenticated` where the session has ended meanwhile or waits for another step than `awaits`. */
export async function requireOpen(tx: PlatformDb, id: string, awaits: SignInStep | null): Promise<void> {
  const open = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(awaits is null or awaits = ${awaits})`)
    .executeTakeFirst()
  if (!open) throw new Problem('unauthenticated', 'Sign in again.')
}

// A sign-in that has not been completed by then ends.
const WAITS = sql`interval '15 minutes'`

// `last_seen_at` is written at most this often.
const SEEN_EVERY = sql`interval '30 seconds'`

const liveSessions = compiled((db: PlatformDb, { realm, id }: { realm: BrowserRealm; id: string }) =>
  db
    .selectFrom('sessions')
    .select([
      'subject',
      'expires_at',
      'awaits',
      'organization_id',
      sql<boolean>`last_seen_at < now() - ${SEEN_EVERY}`.as('unseen'),
    ])
    .where('id', '=', id)
    .where('realm', '=', realm)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`(idle_seconds is null or last_seen_at > now() - idle_seconds * interval '1 second')`)
    .where(sql<boolean>`(awaits is null or created_at > now() - ${WAITS})`),
)

interface LiveSession {
  subject: string
  expiresAt: Date
  awaits: SignInStep | null
  organizationId: string | null
}

/** The live session, marked as seen; null where it has ended, expired or does not exist. */
export async function liveSession(
  db: PlatformDb,
  realm: BrowserRealm,
  id: string,
): Promise<LiveSession | null> {
  const [row] = await liveSessions(db, { realm, id })
  if (!row) return null
  if (row.unseen) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
  }
  const { subject, expires_at: expiresAt, awaits, organization_id: organizationId } = row
  return { subject, expiresAt, awaits, organizationId }
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

/** A page of a person's open sessions, the newest first. */
export async function ownSessions(
  db: PlatformDb,
  realm: BrowserRealm,
  own: { subject: string; sessionId: string },
  query: PageQuery,
) {
  // Pages start at whole milliseconds, which is all that a cursor holds.
  const created = sql<Date>`date_trunc('milliseconds', created_at)`
  const start = pageStart(query)
  let open = db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'last_seen_at', created.as('createdAt')])
    .where('realm', '=', realm)
    .where('subject', '=', own.subject)
    .where('ended_at', 'is', null)
    .where('awaits', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`(idle_seconds is null or last_seen_at > now() - idle_seconds * interval '1 second')`)
    .orderBy(created, 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(query))
  if (start) open = open.where(sql<boolean>`(${created}, id) < (${start.createdAt}, ${start.id})`)
  const rows = await open.execute()
  return rows.map(row => ({
    id: row.id,
    current: row.id === own.sessionId,
    createdAt: row.createdAt,
    lastSeenAt: row.last_seen_at,
    userAgent: row.user_agent,
    address: row.address,
  }))
}

/** A session as its owner sees it. */
export const formatSession = (session: Awaited<ReturnType<typeof ownSessions>>[number]) => ({
  ...session,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
})

/** When each person of a realm last completed a sign-in, as far as sessions are stored: for 30 days after their end. */
export async function lastSignIns(db: PlatformDb, realm: BrowserRealm): Promise<ReadonlyMap<string, Date>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['subject', ({ fn }) => fn.max('created_at').as('at')])
    .where('realm', '=', realm)
    .where('awaits', 'is', null)
    .groupBy('subject')
    .execute()
  return new Map(rows.map(({ subject, at }) => [subject, at]))
}

/** From where a person completed sign-ins, as far as sessions are stored: for 30 days after their end. */
export async function signInAddresses(
  db: PlatformDb,
  realm: BrowserRealm,
  subject: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('address')
    .distinct()
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('awaits', 'is', null)
    .execute()
  return rows.map(({ address }) => address)
}

/** Throws `not-found`, also for someone else's session. */
export async function endOwnSession(
  db: PlatformDb,
  realm: BrowserRealm,
  subject: string,
  id: string,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new Problem('not-found', 'You have no open session with this id.')
}

/** Ends every session of a person at once. */
export const endSessionsOf = (db: PlatformDb, realm: BrowserRealm, subject: string): Promise<void> =>
  endOtherSessions(db, realm, subject, '')

/** Ends every session that is for one organization alone, of one person or of all. */
export async function endSessionsForOrganization(
  db: PlatformDb,
  organizationId: string,
  subject?: string,
): Promise<void> {
  const all = db
    .updateTable('sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
  await (subject === undefined ? all : all.where('subject', '=', subject)).execute()
}

/** Ends every session of a person but the one with this id. */
export async function endOtherSessions(
  db: PlatformDb,
  realm: BrowserRealm,
  subject: string,
  id: string,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('id', '<>', id)
    .where('ended_at', 'is', null)
    .execute()
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
