import type { CookieToSet } from '@windlass/service/endpoint-route.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { FastifyRequest } from 'fastify'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { newToken, tokenHash } from '../ids.ts'
import { REFRESH_COOKIE, sessionCookie, SESSION_COOKIES } from '../sessions/cookies.ts'
import { endSession, openSession } from '../sessions/rows.ts'
import { registerOperator } from './register.ts'

const ACCESS_SECONDS = 15 * 60
const REFRESH_SECONDS = 14 * 24 * 3600
// Two tabs that refresh at once are no thief.
const GRACE = sql`interval '10 seconds'`

/** Signs in whoever proved this address, registering a new operator. Answers who it is, and both cookies. */
export async function signIn(
  deps: Deps,
  email: string,
  fullName: string | undefined,
  request: FastifyRequest,
) {
  return deps.database.db.transaction().execute(async tx => {
    const name = fullName ?? email.slice(0, email.indexOf('@'))
    const { userId, isNew } = await registerOperator(
      tx,
      { email, fullName: name, passwordHash: null },
      deps.clock.now(),
    )
    const user = await tx
      .selectFrom('users')
      .select(['id', 'email', 'full_name'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    const sessionId = await openSession(
      tx,
      { realm: 'operator', subject: userId, lifetime: REFRESH_SECONDS },
      request,
    )
    const cookies = await newCookies(tx, deps, userId, sessionId, request)
    return { operator: { id: user.id, email: user.email, fullName: user.full_name, isNew }, cookies }
  })
}

/**
 * Rotates the pair of tokens. Throws `session-expired`: for a token that is unknown, expired or of an ended session,
 * and for one that was rotated more than ten seconds ago, which ends the session, because two hold it.
 */
export async function refresh(deps: Deps, request: FastifyRequest): Promise<CookieToSet[]> {
  const token = request.cookies[REFRESH_COOKIE.name]
  const outcome = await deps.database.db.transaction().execute(tx => rotate(tx, deps, token, request))
  // Thrown only now: what a thief's token brought about has to be committed.
  if (outcome === null) throw new Problem('session-expired', 'The session has ended. Sign in again.')
  return outcome
}

async function rotate(tx: PlatformDb, deps: Deps, token: string | undefined, request: FastifyRequest) {
  if (!token) return null
  const row = await tx
    .selectFrom('refresh_tokens as r')
    .innerJoin('sessions as s', 's.id', 'r.session_id')
    .select([
      'r.session_id',
      's.subject',
      'r.rotated_at',
      sql<boolean>`r.rotated_at < now() - ${GRACE}`.as('stolen'),
      sql<boolean>`r.expires_at > now() and s.expires_at > now() and s.ended_at is null`.as('alive'),
    ])
    .where('r.token_hash', '=', tokenHash(token))
    .forUpdate()
    .executeTakeFirst()
  if (!row?.alive) return null
  if (row.rotated_at && row.stolen) {
    await endSession(tx, 'operator', row.session_id)
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
      expires_at: sql<Date>`now() + ${REFRESH_SECONDS} * interval '1 second'`,
      last_seen_at: sql<Date>`now()`,
    })
    .where('id', '=', row.session_id)
    .execute()
  return newCookies(tx, deps, row.subject, row.session_id, request)
}

async function newCookies(
  tx: PlatformDb,
  { tokens, config }: Deps,
  userId: string,
  sessionId: string,
  request: FastifyRequest,
): Promise<CookieToSet[]> {
  const refreshToken = newToken()
  await tx
    .insertInto('refresh_tokens')
    .values({
      token_hash: tokenHash(refreshToken),
      session_id: sessionId,
      expires_at: sql<Date>`now() + ${REFRESH_SECONDS} * interval '1 second'`,
      rotated_at: null,
    })
    .execute()
  const access = await tokens.sign('operator', { subject: userId, sessionId }, ACCESS_SECONDS)
  return [
    sessionCookie(SESSION_COOKIES.operator, access, ACCESS_SECONDS, request, config.web.cookieSecure),
    sessionCookie(REFRESH_COOKIE.name, refreshToken, REFRESH_SECONDS, request, config.web.cookieSecure),
  ]
}

/** Ends the session that either cookie names, at once; answers cookies that remove both. */
export async function signOut(deps: Deps, request: FastifyRequest): Promise<CookieToSet[]> {
  const { db } = deps.database
  const access = request.cookies[SESSION_COOKIES.operator]
  const claims = access ? await deps.tokens.read('operator', access) : null
  if (claims) await endSession(db, 'operator', claims.sessionId)
  const token = request.cookies[REFRESH_COOKIE.name]
  const row = token
    ? await db
        .selectFrom('refresh_tokens')
        .select('session_id')
        .where('token_hash', '=', tokenHash(token))
        .executeTakeFirst()
    : undefined
  if (row) await endSession(db, 'operator', row.session_id)
  return removedCookies(request, deps.config.web.cookieSecure)
}

function removedCookies(request: FastifyRequest, secure: boolean | undefined): CookieToSet[] {
  return [
    sessionCookie(SESSION_COOKIES.operator, '', 0, request, secure),
    sessionCookie(REFRESH_COOKIE.name, '', 0, request, secure),
  ]
}
