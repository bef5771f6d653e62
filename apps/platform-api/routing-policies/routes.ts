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
import { record } from '../audit/record.ts'
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
  const { db } = deps.database
  on(saveRoutingPolicy).serve(async ({ body, principal }) => {
    await requireConfirmedAdmin(db, principal)
    const { policy } = await aggregator(deps.aggregator.call(createPolicy, { body }))
    await recordPolicy(deps, principal, 'routing-policy.saved', policy)
    return policy
  })
  on(activateRoutingPolicy).serve(async ({ params, principal }) => {
    await requireConfirmedAdmin(db, principal)
    const { policy } = await aggregator(deps.aggregator.call(activatePolicy, { params }))
    await recordPolicy(deps, principal, 'routing-policy.activated', policy)
    return policy
  })
  on(replayRoutingWeights).serve(({ body }) => aggregator(deps.aggregator.call(replayWeights, { body })))
}

/** Audits a change of policy, which the aggregator has made already. */
async function recordPolicy(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  admin: Principals['admin'],
  action: string,
  { id, version, weights, active }: RoutingPolicy,
): Promise<void> {
  const act = {
    actor: `admin:${admin.username}`,
    action,
    subject: `routing-policy:${id}`,
    details: { version, weights, active },
  }
  await database.db.transaction().execute(tx => record(tx, act, clock.now()))
}
