import { adminLogin, adminLoginAlias, adminLogout, adminMe } from '@windlass/contracts/administrators.ts'
import { answer } from '@windlass/service/answer.ts'
import { invalid } from '@windlass/service/problem.ts'
import { createRate } from '@windlass/service/rates.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { currentSession, requireSession } from '../sessions/guard.ts'
import { endSession } from '../sessions/sessions.ts'
import { ADMIN_SESSION_SECONDS, login } from './login.ts'

export function administratorRoutes(on: On, deps: Deps): void {
  const { config, database } = deps
  // By client address only: failed attempts cannot lock the administrator out.
  const tries = createRate(database.pool, 'admin-login', 10 * config.rateFactor, 15 * 60)

  for (const endpoint of [adminLogin, adminLoginAlias]) {
    on(endpoint).serve(async ({ body, request }) => {
      const name = body.username ?? body.email
      if (name === undefined) throw invalid('username', 'or email is required')
      await tries.demand(request.clientAddress)
      const token = await login(deps, { name, password: body.password }, request)
      const { cookieSecure } = config.web
      const cookie = sessionCookie(SESSION_COOKIES.admin, token, ADMIN_SESSION_SECONDS, request, cookieSecure)
      return answer(200, { ok: true, username: config.admin.username }, { cookies: [cookie] })
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
}
