import {
  activateRoutingPolicy,
  listRoutingPolicies,
  replayRoutingWeights,
  saveRoutingPolicy,
} from '@windlass/contracts/platform/admin-routing.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import {
  type RoutingPolicy,
  activatePolicy,
  createPolicy,
  listPolicies,
  replayWeights,
} from '@windlass/contracts/aggregator/routing.ts'
import type { On } from '@windlass/service/http/server.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { linkCursor } from '@windlass/service/http/pages.ts'
import { remoteAct } from '../audit/remote-act.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmedAdmin } from '../second-factors/factors.ts'
import { passProblems } from '../infrastructure/services.ts'

const aggregator = passProblems('The aggregator')

/** The aggregator stores and validates policies; the platform audits who changed them. */
export function routingPolicyRoutes(on: On, deps: Deps): void {
  on(listRoutingPolicies).serve(async ({ query, request, reply }) => {
    const { body, headers } = await aggregator(deps.aggregator.send(listPolicies, { query }))
    const cursor = nextCursor(headers)
    if (cursor) linkCursor(request, reply, cursor)
    return body.policies
  })
  on(saveRoutingPolicy).serve(async ({ body, principal, request }) => {
    await requireConfirmedAdmin(deps, principal)
    const { policy } = await remoteAct(deps, saveRoutingPolicy, request, {
      ...{ actor: actorOf(principal), subject: 'routing-policy:new', action: 'routing-policy.saved' },
      ...{ asked: body, found: factsOf },
      call: key =>
        aggregator(deps.aggregator.call(createPolicy, { body, headers: { 'idempotency-key': key } })),
    })
    return policy
  })
  on(activateRoutingPolicy).serve(async ({ params, principal, request }) => {
    await requireConfirmedAdmin(deps, principal)
    const { policy } = await remoteAct(deps, activateRoutingPolicy, request, {
      ...{ actor: actorOf(principal), subject: `routing-policy:${params.id}` },
      ...{ action: 'routing-policy.activated', asked: {}, found: factsOf },
      call: () => aggregator(deps.aggregator.call(activatePolicy, { params })),
    })
    return policy
  })
  on(replayRoutingWeights).serve(({ body }) => aggregator(deps.aggregator.call(replayWeights, { body })))
}

const actorOf = ({ username }: Principals['admin']) => `admin:${username}`

const factsOf = ({ policy: { id, version, weights, active } }: { policy: RoutingPolicy }) => ({
  subject: `routing-policy:${id}`,
  details: { version, weights, active },
})
