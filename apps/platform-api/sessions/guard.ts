import type { SignInStep } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { BrowserRealm } from '@windlass/contracts/realm.ts'
import { SESSION_COOKIES } from './cookies.ts'
import { liveSession } from './sessions.ts'

interface OpenSession {
  subject: string
  sessionId: string
  expiresAt: Date
  /** What the sign-in still waits for; null where it is complete. */
  awaits: SignInStep | null
  /** The one organization that it is for; null: all of the person's. */
  organizationId: string | null
}

/** The live session that a request's cookie of this realm names, or null. */
export async function currentSession(
  { database, tokens }: Pick<Deps, 'database' | 'tokens'>,
  realm: BrowserRealm,
  request: FastifyRequest,
): Promise<OpenSession | null> {
  const token = request.cookies[SESSION_COOKIES[realm]]
  const claims = token ? tokens.read(realm, token) : null
  if (!claims) return null
  const session = await liveSession(database.db, realm, claims.sessionId)
  if (!session || session.subject !== claims.subject) return null
  return { ...session, sessionId: claims.sessionId }
}

const missing = {
  'second-factor': ['second-factor-needed', 'Finish signing in with your second factor.'],
  enrolment: [
    'second-factor-enrolment-needed',
    'Add a passkey or an authenticator app to finish signing in.',
  ],
} as const

/**
 * As {@link currentSession}. Throws `unauthenticated` where there is none, and `second-factor-needed` or
 * `second-factor-enrolment-needed` where its sign-in is not complete, unless the endpoint belongs to that step.
 */
export async function requireSession(
  deps: Pick<Deps, 'database' | 'tokens'>,
  realm: BrowserRealm,
  request: FastifyRequest,
): Promise<OpenSession> {
  const session = await currentSession(deps, realm, request)
  if (!session)
    throw new Problem('unauthenticated', `Sign in: ${SESSION_COOKIES[realm]} is missing or has ended.`)
  if (session.awaits && !request.routeOptions.config.awaiting?.includes(session.awaits)) {
    const [code, detail] = missing[session.awaits]
    throw new Problem(code, detail)
  }
  return session
}
