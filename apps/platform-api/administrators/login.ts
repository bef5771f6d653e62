import type { Principals, SignInStep } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyRequest } from 'fastify'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Guard } from '@windlass/service/realms.ts'
import { administrator, hasSecondFactor, nextStep, personOf } from '../second-factors/factors.ts'
import { requireSession } from '../sessions/guard.ts'
import { confirmSession, openSession } from '../sessions/sessions.ts'

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

/**
 * Opens an administrator's session and returns its token, and what the sign-in still waits for. Throws `login-failed`,
 * after the same work in each case.
 */
export async function login(
  deps: Deps,
  given: Credentials,
  request: FastifyRequest,
): Promise<{ token: string; awaits: SignInStep | null }> {
  const { admin } = deps.config
  const nameFits = sameText(given.name, admin.username)
  const passwordFits = sameText(given.password, admin.password)
  if (!nameFits || !passwordFits) {
    request.log.warn({ address: request.clientAddress }, 'an administrator could not sign in')
    throw new Problem('login-failed', 'The user name or password is wrong.')
  }
  const subject = admin.username
  const { sessionId, awaits } = await deps.database.db.transaction().execute(async tx => {
    const awaits = await nextStep(deps, tx, administrator(subject))
    const session = {
      realm: 'admin' as const,
      subject,
      lifetime: ADMIN_SESSION_SECONDS,
      idle: ADMIN_IDLE_SECONDS,
      awaits,
    }
    const id = await openSession(tx, session, request)
    const details = { address: request.clientAddress, ...(awaits && { awaiting: awaits }) }
    await record(
      tx,
      { actor: `admin:${subject}`, action: 'admin.signed-in', subject: `session:${id}`, details },
      deps.clock.now(),
    )
    return { sessionId: id, awaits }
  })
  return { token: await deps.tokens.sign('admin', { subject, sessionId }, ADMIN_SESSION_SECONDS), awaits }
}

/**
 * Accepts the password as confirmation that the administrator is present; those with a second factor confirm with that.
 * Throws `confirmation-refused`.
 */
export async function confirmAdmin(deps: Deps, admin: Principals['admin'], password: string): Promise<void> {
  const { db } = deps.database
  const { config } = deps
  if ((await hasSecondFactor(db, personOf(admin))) || !sameText(password, config.admin.password)) {
    throw new Problem(
      'confirmation-refused',
      'The password is wrong, or your account has a second factor: use that.',
    )
  }
  await confirmSession(db, admin.sessionId)
}

// Under a key of the moment, texts of any length compare in the same time.
const key = randomBytes(32)
const digest = (text: string) => createHmac('sha256', key).update(text).digest()
const sameText = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
