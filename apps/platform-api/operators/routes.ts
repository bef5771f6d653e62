import * as contracts from '@windlass/contracts/platform/members.ts'
import {
  confirmOperator,
  endOperatorSession,
  listOperatorSessions,
  logoutOperator,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { emailLanguages } from '@windlass/contracts/platform/emails.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { languageOf } from '@windlass/service/http/language.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { isEmail } from '@windlass/service/http/validation.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { normalizedEmail } from '../mail/email.ts'
import { codeRequests } from '../otp/request.ts'
import { codeVerification } from '../otp/verify.ts'
import { endOwnSession, formatSession, ownSessions, requireConfirmed } from '../sessions/sessions.ts'
import { confirmations } from './confirm.ts'
import { addMember, changeMember, type MemberEnds, membersOf, removeMember } from './members.ts'
import { refresh, signIn, signOut } from './sign-in.ts'
import { findUserByEmail } from './users.ts'

export function operatorRoutes(on: On, deps: Deps, ends: MemberEnds): void {
  memberRoutes(on, deps, ends)
  const { db } = deps.database
  const requestCode = codeRequests(deps, 'operator', findUserByEmail)
  const verifyCode = codeVerification(deps, 'operator', 'sign-in')
  const confirm = confirmations(deps)

  on(requestOperatorCode).serve(async ({ body, request }) => {
    const language = languageOf(request.headers, emailLanguages)
    const { email, purpose = 'sign-in' } = body
    if (!isEmail(normalizedEmail(email))) throw invalid('email', 'must be a valid email')
    await requestCode(email, request.clientAddress, { purpose, language })
    return { ok: true }
  })
  on(verifyOperatorCode).serve(async ({ body, request }) => {
    const email = await verifyCode(body.email, body.code, request.clientAddress)
    const { operator, cookies } = await signIn(deps, email, body.fullName, request)
    return answer(200, operator, { cookies })
  })
  on(refreshOperatorSession).serve(async ({ request }) =>
    answer(200, { ok: true }, { cookies: await refresh(deps, request) }),
  )
  on(logoutOperator).serve(async ({ request }) =>
    answer(200, { ok: true }, { cookies: await signOut(deps, request) }),
  )
  on(confirmOperator).serve(async ({ body, principal, request }) => {
    await confirm(principal, body, request.clientAddress)
    return { ok: true }
  })
  on(listOperatorSessions).serve(async ({ principal, query, request, reply }) => {
    const own = { subject: principal.userId, sessionId: principal.sessionId }
    const found = await ownSessions(db, 'operator', own, query)
    linkNext(request, reply, query, found)
    return found.map(formatSession)
  })
  on(endOperatorSession).serve(async ({ params, principal }) => {
    await endOwnSession(db, 'operator', principal.userId, params.id)
    return { ok: true }
  })
}

function memberRoutes(on: On, deps: Deps, ends: MemberEnds): void {
  const added = createRate(deps.database.pool, 'members-added', 20 * deps.config.rateFactor, 3600)
  on(contracts.listMembers).serve(({ params, principal }) =>
    membersOf(deps.database.db, principal.userId, params.organizationId),
  )
  on(contracts.addMember).serve(async ({ params, principal, body }) => {
    await requireConfirmed(deps.database.db, principal.sessionId)
    return addMember({ ...deps, added }, principal.userId, params.organizationId, body)
  })
  on(contracts.changeMember).serve(async ({ params, principal, body }) => {
    await requireConfirmed(deps.database.db, principal.sessionId)
    return changeMember(deps, principal.userId, params.organizationId, params.userId, body.role, ends)
  })
  on(contracts.removeMember).serve(async ({ params, principal }) => {
    await requireConfirmed(deps.database.db, principal.sessionId)
    await removeMember(deps, principal.userId, params.organizationId, params.userId, ends)
    return { ok: true }
  })
}
