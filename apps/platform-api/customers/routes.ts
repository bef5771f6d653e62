import {
  challengeWallet,
  getCustomer,
  linkWallet,
  listWallets,
  logoutCustomer,
  proveWallet,
  proveWalletByLogin,
  requestCustomerCode,
  unlinkWallet,
  verifyCustomerCode,
} from '@windlass/contracts/customers.ts'
import { answer } from '@windlass/service/endpoint-route.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { centralStatus } from '../kyc/status.ts'
import { codeRequests } from '../otp/request.ts'
import { codeVerification } from '../otp/verify.ts'
import { link, listLinked, unlink } from '../wallets/link.ts'
import { proveByLogin } from '../wallets/prove-by-login.ts'
import { challenge, prove } from '../wallets/prove.ts'
import { signInCustomer, signOutCustomer } from './sign-in.ts'

export function customerRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
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
  on(getCustomer).serve(async ({ principal: { customerId } }) => {
    const customer = await db
      .selectFrom('customers')
      .selectAll()
      .where('id', '=', customerId)
      .executeTakeFirstOrThrow()
    const { status } = await centralStatus(db, customerId)
    return {
      id: customer.id,
      email: customer.email,
      kycStatus: status,
      createdAt: customer.created_at.toISOString(),
    }
  })
  on(listWallets).serve(({ principal }) => listLinked(deps, principal.customerId))
  on(linkWallet).serve(({ principal, body }) => link(deps, principal.customerId, body))
  on(unlinkWallet).serve(async ({ principal, params }) => {
    await unlink(deps, principal.customerId, params.id)
    return answer(204, undefined)
  })
  on(challengeWallet).serve(({ principal, params }) => challenge(deps, principal.customerId, params.id))
  on(proveWalletByLogin).serve(({ principal, body }) =>
    proveByLogin(deps, principal.customerId, body.transaction),
  )
  on(proveWallet).serve(({ principal, params, body }) =>
    prove(deps, principal.customerId, params.id, body.transaction),
  )
}
