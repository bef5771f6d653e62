import {
  activateRoutingPolicy,
  listRoutingPolicies,
  replayRoutingWeights,
  saveRoutingPolicy,
} from '@windlass/contracts/administrators.ts'
import { activatePolicy, createPolicy, listPolicies, replayWeights } from '@windlass/contracts/routing.ts'
import type { On } from '@windlass/service/server.ts'
import { asNeighbour } from '../neighbours.ts'
import type { Deps } from '../deps.ts'
import { recordPolicy } from './record-policy.ts'

const aggregator = asNeighbour('The aggregator')

/** The aggregator keeps the policy and decides what is right; the platform says who changed it. */
export function routingPolicyRoutes(on: On, deps: Deps): void {
  on(listRoutingPolicies).serve(async () => {
    const { policies } = await aggregator(deps.aggregator.call(listPolicies))
    return policies
  })
  on(saveRoutingPolicy).serve(async ({ body, principal }) => {
    const { policy } = await aggregator(deps.aggregator.call(createPolicy, { body }))
    await recordPolicy(deps, principal, 'routing-policy.saved', policy)
    return policy
  })
  on(activateRoutingPolicy).serve(async ({ params, principal }) => {
    const { policy } = await aggregator(deps.aggregator.call(activatePolicy, { params }))
    await recordPolicy(deps, principal, 'routing-policy.activated', policy)
    return policy
  })
  on(replayRoutingWeights).serve(({ body }) => aggregator(deps.aggregator.call(replayWeights, { body })))
}
