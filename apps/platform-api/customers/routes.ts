import { logoutCustomer, requestCustomerCode, verifyCustomerCode } from '@windlass/contracts/customers.ts'
import { answer } from '@windlass/service/answer.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { codeRequests } from '../otp/request.ts'
import { codeVerification } from '../otp/verify.ts'
import { signInCustomer, signOutCustomer } from './sign-in.ts'

export function customerRoutes(on: On, deps: Deps): void {
  const requestCode = codeRequests(deps, 'customer')
  const verifyCode = codeVerification(deps, 'customer')

  on(requestCustomerCode).serve(async ({ body, request }) => {
    await requestCode(body.email, request.clientAddress)
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
}
