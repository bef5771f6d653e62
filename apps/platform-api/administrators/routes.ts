import {
  adminLogin,
  adminLoginAlias,
  adminLogout,
  adminMe,
  confirmAdministrator,
  endAdminSession,
  listAdminSessions,
  resetOperatorSecondFactors,
} from '@windlass/contracts/platform/administrators.ts'
import * as accounts from '@windlass/contracts/platform/administrator-accounts.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { findUserByEmail } from '../operators/users.ts'
import { requireConfirmedAdmin, resetSecondFactors } from '../second-factors/factors.ts'
import { SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { currentSession, requireSession } from '../sessions/guard.ts'
import {
  endOwnSession,
  endSession,
  formatSession,
  ownSessions,
  requireConfirmed,
} from '../sessions/sessions.ts'
import { findTimeZone } from '../time-zones/time-zones.ts'
import {
  type AdministratorRemoved,
  changePassword,
  changeRole,
  listAdministrators,
  removeAdministrator,
  resetFactorsOf,
} from './accounts.ts'
import {
  acceptInvitation,
  invite,
  listInvitations,
  revokeInvitation,
  verifyInvitation,
} from './invitations.ts'
import { ADMIN_SESSION_SECONDS, confirmAdmin, login } from './login.ts'

export function administratorRoutes(on: On, deps: Deps, onRemoved: AdministratorRemoved): void {
  accountRoutes(on, deps, onRemoved)
  const { config, database } = deps
  const confirmations = createRate(database.pool, 'admin-confirm', 10 * config.rateFactor, 300)
  // By client address only: failed attempts cannot lock the administrator out.
  const tries = createRate(database.pool, 'admin-login', 10 * config.rateFactor, 15 * 60)

  for (const endpoint of [adminLogin, adminLoginAlias]) {
    on(endpoint).serve(async ({ body, request }) => {
      const name = body.username ?? body.email
      if (name === undefined) throw invalid('username', 'or email is required')
      await tries.demand(request.clientAddress)
      const { username, token, awaits } = await login(deps, { name, password: body.password }, request)
      const { cookieSecure } = config.web
      const cookie = sessionCookie(SESSION_COOKIES.admin, token, ADMIN_SESSION_SECONDS, request, cookieSecure)
      const signedIn = { ok: true, username, ...(awaits && { awaiting: awaits }) }
      return answer(200, signedIn, { cookies: [cookie] })
    })
  }
  on(adminLogout).serve(async ({ request }) => {
    const session = await currentSession(deps, 'admin', request)
    if (session) await endSession(database.db, 'admin', session.sessionId)
    const cookie = sessionCookie(SESSION_COOKIES.admin, '', 0, request, config.web.cookieSecure)
    return answer(200, { ok: true }, { cookies: [cookie] })
  })
  on(adminMe).serve(async ({ request, principal: { username, role } }) => {
    const { expiresAt } = await requireSession(deps, 'admin', request)
    const fromSettings = username === config.admin.username
    const timeZone = await findTimeZone(database.db, username)
    return { username, role, fromSettings, timeZone, expiresAt: expiresAt.toISOString() }
  })
  on(confirmAdministrator).serve(async ({ body, principal }) => {
    await confirmations.demand(principal.username)
    await confirmAdmin(deps, principal, body.password)
    return { ok: true }
  })
  on(resetOperatorSecondFactors).serve(async ({ body, principal }) => {
    await requireConfirmedAdmin(deps, principal)
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

/** Who administers the platform. */
function accountRoutes(on: On, deps: Deps, onRemoved: AdministratorRemoved): void {
  const { db, pool } = deps.database
  const factor = deps.config.rateFactor
  const invitations = createRate(pool, 'admin-invitations', 30 * factor, 3600)
  const tokens = createRate(pool, 'admin-invitation-tokens', 30 * factor, 300)
  const passwords = createRate(pool, 'admin-passwords', 10 * factor, 300)
  const confirmed = ({ sessionId }: Principals['admin']) => requireConfirmed(db, sessionId)

  on(accounts.listAdministrators).serve(() => listAdministrators(deps))
  on(accounts.listAdministratorInvitations).serve(() => listInvitations(db))
  on(accounts.inviteAdministrator).serve(async ({ body, principal }) => {
    await confirmed(principal)
    await invitations.demand(principal.username)
    return invite(deps, principal, body)
  })
  on(accounts.revokeAdministratorInvitation).serve(async ({ params, principal }) => {
    await revokeInvitation(deps, principal, params.id)
    return { ok: true }
  })
  on(accounts.verifyAdministratorInvitation).serve(async ({ body, request }) => {
    await tokens.demand(request.clientAddress)
    return verifyInvitation(deps, body.token)
  })
  on(accounts.acceptAdministratorInvitation).serve(async ({ body, request }) => {
    await tokens.demand(request.clientAddress)
    return acceptInvitation(deps, body)
  })
  on(accounts.changeAdministrator).serve(async ({ params, body, principal }) => {
    await confirmed(principal)
    return changeRole(deps, principal, params.id, body.role)
  })
  on(accounts.removeAdministrator).serve(async ({ params, principal }) => {
    await confirmed(principal)
    await removeAdministrator(deps, principal, params.id, onRemoved)
    return { ok: true }
  })
  on(accounts.resetAdministratorSecondFactors).serve(async ({ params, body, principal }) => {
    await confirmed(principal)
    await resetFactorsOf(deps, principal, params.id, body.reason)
    return { ok: true }
  })
  on(accounts.changeAdministratorPassword).serve(async ({ body, principal }) => {
    await confirmed(principal)
    await passwords.demand(principal.username)
    await changePassword(deps, principal, body.password)
    return { ok: true }
  })
}
