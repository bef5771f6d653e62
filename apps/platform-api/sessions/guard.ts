import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { BrowserRealm } from '../tables.ts'
import { SESSION_COOKIES } from './cookies.ts'
import { liveSession } from './sessions.ts'

interface OpenSession {
  subject: string
  sessionId: string
  expiresAt: Date
}

/** The live session that a request's cookie of this realm names, or null. */
export async function currentSession(
  { database, tokens }: Pick<Deps, 'database' | 'tokens'>,
  realm: BrowserRealm,
  request: FastifyRequest,
): Promise<OpenSession | null> {
  const token = request.cookies[SESSION_COOKIES[realm]]
  const claims = token ? await tokens.read(realm, token) : null
  if (!claims) return null
  const session = await liveSession(database.db, realm, claims.sessionId)
  if (!session || session.subject !== claims.subject) return null
  return { subject: claims.subject, sessionId: claims.sessionId, expiresAt: session.expiresAt }
}

/** As {@link currentSession}. Throws `unauthenticated` where there is none. */
export async function requireSession(
  deps: Pick<Deps, 'database' | 'tokens'>,
  realm: BrowserRealm,
  request: FastifyRequest,
): Promise<OpenSession> {
  const session = await currentSession(deps, realm, request)
  if (!session)
    throw new Problem('unauthenticated', `Sign in: ${SESSION_COOKIES[realm]} is missing or has ended.`)
  return session
}
