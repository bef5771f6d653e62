import {
  endCustomerSession,
  listCustomerSessions,
  logoutCustomer,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import { emailLanguages } from '@windlass/contracts/platform/emails.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { languageOf } from '@windlass/service/http/language.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { codeRequests } from '../otp/request.ts'
import { codeVerification } from '../otp/verify.ts'
import { endOwnSession, formatSession, ownSessions } from '../sessions/sessions.ts'
import { findCustomerByEmail } from './customers.ts'
import { signInCustomer, signOutCustomer } from './sign-in.ts'

export function customerRoutes(on: On, deps: Deps): void {
  const requestCode = codeRequests(deps, 'customer', findCustomerByEmail)
  const verifyCode = codeVerification(deps, 'customer', 'sign-in')

  on(requestCustomerCode).serve(async ({ body, request }) => {
    const language = languageOf(request.headers, emailLanguages)
    const { email, purpose = 'sign-in' } = body
    await requestCode(email, request.clientAddress, { purpose, language })
    return { ok: true }
  })
  on(verifyCustomerCode).serve(async ({ body, request }) => {
    const email = await verifyCode(body.email, body.code, request.clientAddress)
    const { body: signedIn, cookies } = await signInCustomer(deps, email, request)
    return answer(200, signedIn, { cookies })
  })
  on(logoutCustomer).serve(async ({ request }) =>
    answer(200, { ok: true }, { cookies: await signOutCustomer(deps, request) }),
  )
  const { db } = deps.database
  on(listCustomerSessions).serve(async ({ principal, query, request, reply }) => {
    const own = { subject: principal.customerId, sessionId: principal.sessionId }
    const found = await ownSessions(db, 'customer', own, query)
    linkNext(request, reply, query, found)
    return found.map(formatSession)
  })
  on(endCustomerSession).serve(async ({ params, principal }) => {
    await endOwnSession(db, 'customer', principal.customerId, params.id)
    return { ok: true }
  })
}
