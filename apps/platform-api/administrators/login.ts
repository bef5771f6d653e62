import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Guard } from '@windlass/service/realms.ts'
import { requireSession } from '../sessions/guard.ts'
import { openSession } from '../sessions/sessions.ts'

export const ADMIN_SESSION_SECONDS = 8 * 60 * 60
const ADMIN_IDLE_SECONDS = 60 * 60

export interface Credentials {
  name: string
  password: string
}

/** `ns_admin`: a live token whose session has not ended. */
export function adminGuard(deps: Deps): Guard<'admin'> {
  return async request => {
    const { subject, sessionId } = await requireSession(deps, 'admin', request)
    return { username: subject, sessionId }
  }
}

/** Opens an administrator's session and returns its token. Throws `login-failed`, after the same work in each case. */
export async function login(deps: Deps, given: Credentials, request: FastifyRequest): Promise<string> {
  const { admin } = deps.config
  const nameFits = sameText(given.name, admin.username)
  const passwordFits = sameText(given.password, admin.password)
  if (!nameFits || !passwordFits) {
    request.log.warn({ address: request.clientAddress }, 'an administrator could not sign in')
    throw new Problem('login-failed', 'The user name or password is wrong.')
  }
  const subject = admin.username
  const sessionId = await deps.database.db.transaction().execute(async tx => {
    const session = {
      realm: 'admin' as const,
      subject,
      lifetime: ADMIN_SESSION_SECONDS,
      idle: ADMIN_IDLE_SECONDS,
    }
    const id = await openSession(tx, session, request)
    const details = { address: request.clientAddress }
    await record(
      tx,
      { actor: `admin:${subject}`, action: 'admin.signed-in', subject: `session:${id}`, details },
      deps.clock.now(),
    )
    return id
  })
  return deps.tokens.sign('admin', { subject, sessionId }, ADMIN_SESSION_SECONDS)
}

// Under a key of the moment, texts of any length compare in the same time.
const key = randomBytes(32)
const digest = (text: string) => createHmac('sha256', key).update(text).digest()
const sameText = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
