import {
  challengeWallet,
  linkWallet,
  listWallets,
  proveWallet,
  proveWalletByCallback,
  proveWalletByLogin,
  unlinkWallet,
} from '@windlass/contracts/platform/customers.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { link, unlink } from './link.ts'
import { proveByLogin } from './prove-by-login.ts'
import { challenge, prove, proveByCallback } from './prove.ts'
import { asWallet, walletsOf } from './wallets.ts'

/** The wallets of the customer who is signed in. */
export function walletRoutes(on: On, deps: Deps): void {
  on(listWallets).serve(async ({ principal, query, request, reply }) => {
    const rows = await walletsOf(deps.database.db, principal.customerId, query)
    linkNext(request, reply, query, rows)
    return rows.map(asWallet)
  })
  // Each is written to the audit log, and a proof asks the ledger.
  const changes = createRate(deps.database.pool, 'wallet-changes', 60 * deps.config.rateFactor, 3600)
  on(linkWallet).serve(async ({ principal, body }) => {
    await changes.demand(principal.customerId)
    return link(deps, principal.customerId, body)
  })
  on(unlinkWallet).serve(async ({ principal, params }) => {
    await unlink(deps, principal.customerId, params.id)
    return answer(204, undefined)
  })
  on(challengeWallet).serve(({ principal, params }) => challenge(deps, principal.customerId, params.id))
  on(proveWalletByLogin).serve(async ({ principal, body }) => {
    await changes.demand(principal.customerId)
    return proveByLogin(deps, principal.customerId, body.transaction)
  })
  // A wallet that signed by SEP-7 has no session of the customer's.
  const callbacks = createRate(deps.database.pool, 'wallet-callbacks', 30 * deps.config.rateFactor, 300)
  on(proveWalletByCallback).serve(async ({ request, body }) => {
    await callbacks.demand(request.clientAddress)
    await proveByCallback(deps, body.xdr)
    return { ok: true }
  })
  on(proveWallet).serve(async ({ principal, params, body }) => {
    await changes.demand(principal.customerId)
    return prove(deps, principal.customerId, params.id, body.transaction)
  })
}
