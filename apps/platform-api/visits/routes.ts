import { listCustomerAnchors, withdrawAnchorAccess } from '@windlass/contracts/customers.ts'
import { reportWalletLogin, requestCodeAtAnchor, signInAtAnchor } from '@windlass/contracts/internal.ts'
import { clientNetwork } from '@windlass/service/client-address.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import { createRate } from '@windlass/service/rates.ts'
import type { On } from '@windlass/service/server.ts'
import { anchorNames, findAnchor, senderOf } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { organizationNames } from '../operators/organizations.ts'
import { codeRequests } from '../otp/request.ts'
import { codeVerification } from '../otp/verify.ts'
import { listVisits, recordLogin, requireAnchor, signInAt, withdrawAccess } from './visits.ts'

/** How anchors report the customers and wallets that came to them. */
export function visitRoutes(on: On, deps: Deps): void {
  const requestCode = codeRequests(deps, 'customer')
  const requestCodeForAnchor = codeRequests(deps, 'customer', 500)
  const tenant = createRate(deps.database.pool, 'anchor-codes', 500 * deps.config.rateFactor, 3600)
  const verifyCode = codeVerification(deps, 'customer')
  // An anchor vouches for its clients' addresses: they count for that anchor only.
  const clientOf = (anchorId: string, address: string | undefined) =>
    `${anchorId} ${clientNetwork(address ?? '')}`

  on(listCustomerAnchors).serve(async ({ principal, query, request, reply }) => {
    const { db } = deps.database
    const visits = await listVisits(db, principal.customerId, pageStart(query), pageSize(query))
    linkNext(
      request,
      reply,
      query,
      visits.map(({ anchorId, since }) => ({ id: anchorId, createdAt: since })),
    )
    const anchors = await anchorNames(
      db,
      visits.map(({ anchorId }) => anchorId),
    )
    const organizations = await organizationNames(
      db,
      [...anchors.values()].map(({ organizationId }) => organizationId),
    )
    return visits.map(({ anchorId, since }) => {
      const { homeDomain = '', organizationId = '' } = anchors.get(anchorId) ?? {}
      const organizationName = organizations.get(organizationId) ?? ''
      return { id: anchorId, homeDomain, organizationName, since: since.toISOString() }
    })
  })
  on(withdrawAnchorAccess).serve(async ({ principal, params }) => {
    await withdrawAccess(deps, principal.customerId, params.id)
    return { ok: true }
  })
  on(reportWalletLogin).serve(async ({ principal, body }) => ({
    address: await recordLogin(deps, principal, body.transaction),
  }))
  on(requestCodeAtAnchor).serve(async ({ principal, body }) => {
    // An anchor could make its clients' addresses up: all of them together are counted too.
    if ((await tenant.take(requireAnchor(principal))) !== null) return { ok: true }
    const request = body.clientAddress === undefined ? requestCodeForAnchor : requestCode
    const anchorId = requireAnchor(principal)
    const anchor = await findAnchor(deps.database.db, anchorId)
    const sender = anchor && senderOf(anchor)
    await request(body.email, clientOf(anchorId, body.clientAddress), { sender })
    return { ok: true }
  })
  on(signInAtAnchor).serve(async ({ principal, body }) => {
    const client = clientOf(requireAnchor(principal), body.clientAddress)
    const email = await verifyCode(body.email, body.code, client)
    return signInAt(deps, principal, email, body)
  })
}
