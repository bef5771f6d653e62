import {
  checkSubdomain,
  redeemInvitation,
  reissueInvitation,
  revokeInvitation,
  verifyInvitation,
} from '@windlass/contracts/platform/invitations.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { isSubdomainTaken } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmedAdmin } from '../second-factors/factors.ts'
import { reissue, revoke, verify } from './invitations.ts'
import { redeem } from './redeem.ts'
import { homeDomainOf, refusalOf } from './subdomain.ts'

export function invitationRoutes(on: On, deps: Deps): void {
  const { config } = deps
  const { db, pool } = deps.database
  const verifies = createRate(pool, 'invitations', 30 * config.rateFactor, 5 * 60)
  const lookups = createRate(pool, 'subdomains', 120 * config.rateFactor, 5 * 60)

  on(verifyInvitation).serve(async ({ body, request }) => {
    await verifies.demand(request.clientAddress)
    return verify(db, body.token)
  })
  on(redeemInvitation).serve(async ({ body, request }) => {
    await verifies.demand(request.clientAddress)
    return redeem(deps, body)
  })
  on(checkSubdomain).serve(async ({ query: { subdomain }, request }) => {
    await lookups.demand(request.clientAddress)
    const refusal = refusalOf(subdomain, config.anchors)
    if (refusal) return { subdomain, available: false, reason: refusal }
    const homeDomain = homeDomainOf(subdomain, config.anchors)
    return (await isSubdomainTaken(db, subdomain))
      ? { subdomain, available: false, homeDomain, reason: 'This subdomain is taken.' }
      : { subdomain, available: true, homeDomain }
  })
  on(revokeInvitation).serve(({ params, principal }) => revoke(deps, params.id, principal))
  on(reissueInvitation).serve(async ({ params, principal }) => {
    await requireConfirmedAdmin(deps, principal)
    return reissue(deps, params.id, principal)
  })
}
