import {
  challengeWallet,
  linkWallet,
  listWallets,
  proveWallet,
  proveWalletByLogin,
  unlinkWallet,
} from '@windlass/contracts/customers.ts'
import { answer } from '@windlass/service/answer.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { link, listLinked, unlink } from './link.ts'
import { proveByLogin } from './prove-by-login.ts'
import { challenge, prove } from './prove.ts'

/** The wallets of the customer who is signed in. */
export function walletRoutes(on: On, deps: Deps): void {
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
