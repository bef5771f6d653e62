import {
  confirmAnchorAccount,
  listAnchorAccounts,
  lookUpWalletRemoval,
  removeAnchorAccount,
  removeWalletByLink,
} from '@windlass/contracts/platform/customers.ts'
import {
  listCustomerEmails,
  requestCodeAtAnchor,
  signInAtAnchor,
} from '@windlass/contracts/internal/internal.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { findAnchor, senderOf } from '../anchors/anchors.ts'
import { findCustomerByEmail } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { listCustomerEmails as customerEmails } from '../mail/customer-emails.ts'
import type { AnchorPage } from '../otp/emails.ts'
import { codeRequests } from '../otp/request.ts'
import { anchorCodeVerification } from '../otp/verify.ts'
import { requireAnchor } from '../visits/visits.ts'
import type { Account } from '../visits/accounts.ts'
import { printMemo } from '../wallets/mail.ts'
import { readRemoval } from '../wallets/removal.ts'
import { readAccount } from './account.ts'
import { confirmAccount, listAccounts, refuseAccount, removeByLink } from './confirm.ts'
import { signInAt } from './sign-in.ts'

/** How customers sign in on the pages of anchors. */
export function anchorSignInRoutes(on: On, deps: Deps): void {
  const requestCode = codeRequests(deps, 'customer', findCustomerByEmail)
  const requestCodeForAnchor = codeRequests(deps, 'customer', findCustomerByEmail, 500)
  const verifyCode = anchorCodeVerification(deps)
  // An anchor vouches for its clients' addresses: they count for that anchor only.
  const clientOf = (anchorId: string, address: string | undefined) =>
    `${anchorId} ${clientNetwork(address ?? '')}`

  on(requestCodeAtAnchor).serve(async ({ principal, body }) => {
    const anchorId = requireAnchor(principal)
    const anchor = await pageOf(deps, anchorId, readAccount(body))
    const request = body.clientAddress === undefined ? requestCodeForAnchor : requestCode
    await request(body.email, clientOf(anchorId, body.clientAddress), { purpose: 'sign-in', anchor })
    return { ok: true }
  })
  on(signInAtAnchor).serve(async ({ principal, body }) => {
    const anchorId = requireAnchor(principal)
    const account = readAccount(body)
    const email = await verifyCode(anchorId, body.email, body.code, clientOf(anchorId, body.clientAddress))
    return signInAt(deps, anchorId, email, { account, login: body.login })
  })
  on(listCustomerEmails).serve(({ principal, query: { account, memo = null } }) =>
    customerEmails(deps.database.db, deps.sealer, { anchorId: requireAnchor(principal), account, memo }),
  )
  accountRoutes(on, deps)
}

/** What customers say about the accounts that signed in with their email address. */
function accountRoutes(on: On, deps: Deps): void {
  const changes = createRate(deps.database.pool, 'account-changes', 60 * deps.config.rateFactor, 3600)
  const links = createRate(deps.database.pool, 'wallet-removals', 60 * deps.config.rateFactor, 3600)

  on(listAnchorAccounts).serve(({ principal }) => listAccounts(deps, principal.customerId))
  on(confirmAnchorAccount).serve(async ({ principal, params }) => {
    await changes.demand(principal.customerId)
    await confirmAccount(deps, principal.customerId, params.id)
    return { ok: true }
  })
  on(removeAnchorAccount).serve(async ({ principal, params }) => {
    await changes.demand(principal.customerId)
    await refuseAccount(deps, principal.customerId, params.id)
    return answer(204, undefined)
  })
  on(lookUpWalletRemoval).serve(async ({ body, request }) => {
    await links.demand(request.clientAddress)
    const { account, memo } = await readRemoval(deps.database.db, body.token)
    return { account, memo }
  })
  on(removeWalletByLink).serve(async ({ body, request }) => {
    await links.demand(request.clientAddress)
    const { account, memo } = await removeByLink(deps, body.token)
    return { account, memo }
  })
}

async function pageOf(
  { database }: Deps,
  id: string,
  named: Account | null,
): Promise<AnchorPage & { id: string; named: Account | null }> {
  const anchor = await findAnchor(database.db, id)
  if (!anchor) throw new Problem('forbidden', 'There is no anchor with this secret.')
  const { account = null, memo = null } = named ?? {}
  const shown = { account, memo: memo === null ? null : printMemo(memo) }
  return { id, named, homeDomain: anchor.home_domain, sender: senderOf(anchor), ...shown }
}
