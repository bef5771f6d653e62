import {
  adminLogin,
  adminLoginAlias,
  adminLogout,
  adminMe,
  confirmAdministrator,
  endAdminSession,
  listAdminSessions,
  resetOperatorSecondFactors,
} from '@windlass/contracts/administrators.ts'
import { answer } from '@windlass/service/answer.ts'
import { linkNext } from '@windlass/service/pages.ts'
import { Problem, invalid } from '@windlass/service/problem.ts'
import { createRate } from '@windlass/service/rates.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { findUserByEmail } from '../operators/users.ts'
import { requireConfirmedAdmin, resetSecondFactors } from '../second-factors/factors.ts'
import { SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { currentSession, requireSession } from '../sessions/guard.ts'
import { endOwnSession, endSession, formatSession, ownSessions } from '../sessions/sessions.ts'
import { ADMIN_SESSION_SECONDS, confirmAdmin, login } from './login.ts'

export function administratorRoutes(on: On, deps: Deps): void {
  const { config, database } = deps
  const confirmations = createRate(database.pool, 'admin-confirm', 10 * config.rateFactor, 300)
  // By client address only: failed attempts cannot lock the administrator out.
  const tries = createRate(database.pool, 'admin-login', 10 * config.rateFactor, 15 * 60)

  for (const endpoint of [adminLogin, adminLoginAlias]) {
    on(endpoint).serve(async ({ body, request }) => {
      const name = body.username ?? body.email
      if (name === undefined) throw invalid('username', 'or email is required')
      await tries.demand(request.clientAddress)
      const { token, awaits } = await login(deps, { name, password: body.password }, request)
      const { cookieSecure } = config.web
      const cookie = sessionCookie(SESSION_COOKIES.admin, token, ADMIN_SESSION_SECONDS, request, cookieSecure)
      const signedIn = { ok: true, username: config.admin.username, ...(awaits && { awaiting: awaits }) }
      return answer(200, signedIn, { cookies: [cookie] })
    })
  }
  on(adminLogout).serve(async ({ request }) => {
    const session = await currentSession(deps, 'admin', request)
    if (session) await endSession(database.db, 'admin', session.sessionId)
    const cookie = sessionCookie(SESSION_COOKIES.admin, '', 0, request, config.web.cookieSecure)
    return answer(200, { ok: true }, { cookies: [cookie] })
  })
  on(adminMe).serve(async ({ request }) => {
    const session = await requireSession(deps, 'admin', request)
    return { username: session.subject, expiresAt: session.expiresAt.toISOString() }
  })
  on(confirmAdministrator).serve(async ({ body, principal }) => {
    await confirmations.demand(principal.username)
    await confirmAdmin(deps, principal, body.password)
    return { ok: true }
  })
  on(resetOperatorSecondFactors).serve(async ({ body, principal }) => {
    await requireConfirmedAdmin(database.db, principal)
    const operator = await findUserByEmail(database.db, body.email)
    if (!operator) throw new Problem('second-factor-not-found', 'There is no operator with this address.')
    const person = { realm: 'operator' as const, subject: operator.id, email: operator.email }
    await resetSecondFactors(deps, person, `admin:${principal.username}`, body.reason)
    return { ok: true }
  })
  on(listAdminSessions).serve(async ({ principal, query, request, reply }) => {
    const own = { subject: principal.username, sessionId: principal.sessionId }
    const found = await ownSessions(database.db, 'admin', own, query)
    linkNext(request, reply, query, found)
    return found.map(formatSession)
  })
  on(endAdminSession).serve(async ({ params, principal }) => {
    await endOwnSession(database.db, 'admin', principal.username, params.id)
    return { ok: true }
  })
}
