import type { CookieToSet } from '@windlass/service/http/answer.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { keepLanguageOf } from '../mail/languages.ts'
import { REFRESH_COOKIE, SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { requireSession } from '../sessions/guard.ts'
import {
  createRefreshToken,
  REFRESH_SECONDS,
  rotateRefreshToken,
  sessionOfRefreshToken,
} from '../sessions/refresh-tokens.ts'
import { endSession, openSession } from '../sessions/sessions.ts'
import { nextStep } from '../second-factors/factors.ts'
import type { PlatformDb } from '../tables.ts'
import { findUser, registerOperator } from './users.ts'

const ACCESS_SECONDS = 15 * 60

/** `ns_session`: a live token whose session has not ended. */
export function operatorGuard(deps: Deps): Guard<'operator'> {
  return async request => {
    const { subject, sessionId, organizationId } = await requireSession(deps, 'operator', request)
    const user = await findUser(deps.database.db, subject)
    if (!user) throw new Problem('unauthenticated', 'Sign in again.')
    return { userId: subject, sessionId, organizationId, email: user.email, fullName: user.fullName }
  }
}

/**
 * Signs in the owner of a verified address, registering a new operator. Returns the operator, both cookies, and what the
 * sign-in still waits for.
 */
export async function signIn(
  deps: Deps,
  email: string,
  fullName: string | undefined,
  request: FastifyRequest,
) {
  return deps.database.db.transaction().execute(async tx => {
    const name = fullName ?? email.slice(0, email.indexOf('@'))
    const person = { email, fullName: name, passwordHash: null, confirmed: true }
    const operator = await registerOperator(tx, person, deps.clock.now())
    return openOperatorSession(deps, tx, operator, request)
  })
}

interface SignOn {
  /** The one organization that the session is for. */
  organizationId: string
  /** When a second factor was given that counts as ours; long ago where none was. */
  confirmedAt: Date
  lifetime: number
  hasSecondFactor: boolean
}

/** Opens a session, with what it still waits for. `by`: an organization's provider signed the person in, and not a code of ours. */
export async function openOperatorSession(
  deps: Deps,
  tx: PlatformDb,
  operator: { id: string; email: string; fullName: string; isNew: boolean },
  request: FastifyRequest,
  by?: SignOn,
) {
  const person = { realm: 'operator' as const, subject: operator.id, email: operator.email }
  const awaits = by?.hasSecondFactor ? null : await nextStep(deps, tx, person)
  const sessionId = await openSession(
    tx,
    { realm: 'operator', subject: operator.id, lifetime: REFRESH_SECONDS, awaits, ...by },
    request,
  )
  await keepLanguageOf(tx, operator.email, request.headers)
  const refreshToken = await createRefreshToken(tx, sessionId)
  const cookies = cookiesFor(deps, operator.id, sessionId, refreshToken, request)
  return { operator: awaits ? { ...operator, awaiting: awaits } : operator, cookies }
}

/** Rotates the pair of tokens. Throws `session-expired`, see {@link rotateRefreshToken}. */
export async function refresh(deps: Deps, request: FastifyRequest): Promise<CookieToSet[]> {
  const token = request.cookies[REFRESH_COOKIE.name]
  const rotated = token
    ? await deps.database.db.transaction().execute(tx => rotateRefreshToken(tx, token))
    : null
  // After the transaction: the end of a session whose token was reused has to be committed.
  if (rotated === null) throw new Problem('session-expired', 'The session has ended. Sign in again.')
  return cookiesFor(deps, rotated.userId, rotated.sessionId, rotated.refreshToken, request)
}

function cookiesFor(
  { tokens, config }: Deps,
  userId: string,
  sessionId: string,
  refreshToken: string,
  request: FastifyRequest,
): CookieToSet[] {
  const access = tokens.sign('operator', { subject: userId, sessionId }, ACCESS_SECONDS)
  return [
    sessionCookie(SESSION_COOKIES.operator, access, ACCESS_SECONDS, request, config.web.cookieSecure),
    sessionCookie(REFRESH_COOKIE.name, refreshToken, REFRESH_SECONDS, request, config.web.cookieSecure),
  ]
}

/** Ends the session that either cookie names, at once; returns cookies that remove both. */
export async function signOut(deps: Deps, request: FastifyRequest): Promise<CookieToSet[]> {
  const { db } = deps.database
  const access = request.cookies[SESSION_COOKIES.operator]
  const claims = access ? deps.tokens.read('operator', access) : null
  if (claims) await endSession(db, 'operator', claims.sessionId)
  const token = request.cookies[REFRESH_COOKIE.name]
  const sessionId = token ? await sessionOfRefreshToken(db, token) : null
  if (sessionId) await endSession(db, 'operator', sessionId)
  return [SESSION_COOKIES.operator, REFRESH_COOKIE.name].map(name =>
    sessionCookie(name, '', 0, request, deps.config.web.cookieSecure),
  )
}
