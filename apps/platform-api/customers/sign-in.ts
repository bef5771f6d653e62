import type { CookieToSet } from '@windlass/service/http/answer.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { keepLanguageOf } from '../mail/languages.ts'
import { SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { endSession, openSession } from '../sessions/sessions.ts'
import { registerCustomer } from './customers.ts'

const SESSION_SECONDS = 30 * 24 * 3600

/** Signs in the owner of a verified address, registering a new customer. */
export async function signInCustomer(deps: Deps, email: string, request: FastifyRequest) {
  const { tokens, config, clock } = deps
  const { customer, isNew, sessionId } = await deps.database.db.transaction().execute(async tx => {
    const registered = await registerCustomer(tx, email, clock.now())
    const session = { realm: 'customer' as const, subject: registered.customer.id, lifetime: SESSION_SECONDS }
    await keepLanguageOf(tx, registered.customer.email, request.headers)
    return { ...registered, sessionId: await openSession(tx, session, request) }
  })
  const token = tokens.sign('customer', { subject: customer.id, sessionId }, SESSION_SECONDS)
  const cookie = sessionCookie(
    SESSION_COOKIES.customer,
    token,
    SESSION_SECONDS,
    request,
    config.web.cookieSecure,
  )
  return { body: { status: 'success' as const, user: customer, isNew }, cookies: [cookie] }
}

/** Ends the session at once; returns the cookie that removes it. */
export async function signOutCustomer(deps: Deps, request: FastifyRequest): Promise<CookieToSet[]> {
  const token = request.cookies[SESSION_COOKIES.customer]
  const claims = token ? deps.tokens.read('customer', token) : null
  if (claims) await endSession(deps.database.db, 'customer', claims.sessionId)
  return [sessionCookie(SESSION_COOKIES.customer, '', 0, request, deps.config.web.cookieSecure)]
}
