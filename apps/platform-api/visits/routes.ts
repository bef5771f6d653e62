import { listCustomerAnchors, withdrawAnchorAccess } from '@windlass/contracts/platform/customers.ts'
import { reportWalletLogin } from '@windlass/contracts/internal/internal.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import type { On } from '@windlass/service/http/server.ts'
import { anchorNames } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { organizationNames } from '../operators/organizations.ts'
import { listVisits, recordLogin, withdrawAccess } from './visits.ts'

/** Which anchors a customer came to, and how anchors report the wallets that logged in there. */
export function visitRoutes(on: On, deps: Deps): void {
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
}
