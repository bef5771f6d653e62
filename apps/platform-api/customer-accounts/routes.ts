import { deleteCustomerAccount } from '@windlass/contracts/platform/customers.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { signOutCustomer } from '../customers/sign-in.ts'
import type { Deps } from '../deps.ts'
import { codeVerification } from '../otp/verify.ts'
import { deleteAccount } from './delete.ts'

export function customerAccountRoutes(on: On, deps: Deps): void {
  const verifyCode = codeVerification(deps, 'customer', 'deletion')

  on(deleteCustomerAccount).serve(async ({ principal, body, request }) => {
    await verifyCode(principal.email, body.code, request.clientAddress).catch((error: unknown) => {
      // 401 would say that the session has ended.
      if (error instanceof Problem && error.code === 'code-not-accepted')
        throw new Problem('confirmation-refused', error.message)
      throw error
    })
    const cookies = await signOutCustomer(deps, request)
    await deleteAccount(deps, principal.customerId)
    return answer(200, { ok: true }, { cookies })
  })
}
