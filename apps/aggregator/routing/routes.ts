import * as contracts from '@windlass/contracts/aggregator/routing.ts'
import { writtenAnswer } from '@windlass/service/http/answer.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import type { On } from '@windlass/service/http/server.ts'
import { demandDatabase } from '../database/demand.ts'
import { assetNames } from '../registry/entry.ts'
import { findEntry } from '../registry/find.ts'
import { describeDecision } from './answer.ts'
import { rankingOf } from './decision.ts'
import type { RoutingDeps } from './deps.ts'
import { missOf } from './misses.ts'
import { outcomeFor } from './outcomes.ts'
import { readWeights, renderPolicy } from './policies.ts'
import { decisionsNaming, missesFor } from './stored-decisions.ts'
import { replay } from './replay.ts'
import { noEligibleAnchor, route } from './route.ts'

export function serveRouting(on: On, deps: RoutingDeps): void {
  const { policies, journal } = deps
  const demandService = serviceSecretGuard(deps.config.serviceSecret)

  on(contracts.routeTransaction).serve(async ({ body, request }) => {
    const { policyId } = body
    if (policyId !== undefined) await demandService(request)
    const policy = policyId === undefined ? policies.active : policies.find(policyId)
    return writtenAnswer(await route(deps, body, policy))
  })

  on(contracts.getDecision).serve(async ({ params }) => {
    const decision = await journal.find(params.id)
    if (decision.winner !== null) return describeDecision(decision)
    throw noEligibleAnchor(deps, rankingOf(decision).rejected, decision.transaction)
  })

  on(contracts.listAnchorOutcomes).serve(async ({ params, query, request, reply }) => {
    const { id } = findEntry(deps.index, params.id)
    const decisions = await decisionsNaming(deps.database.db, id, pageSize(query), pageStart(query))
    const rows = decisions.map(decision => ({ createdAt: decision.decidedAt, id: decision.id }))
    linkNext(request, reply, query, rows)
    return { decisions: decisions.flatMap(decision => outcomeFor(id, decision) ?? []) }
  })

  on(contracts.listMissedRoutes).serve(async ({ params, query, request, reply }) => {
    const entry = findEntry(deps.index, params.id)
    const decisions = await missesFor(deps.database.db, assetNames(entry), pageSize(query), pageStart(query))
    const rows = decisions.map(decision => ({ createdAt: decision.decidedAt, id: decision.id }))
    linkNext(request, reply, query, rows)
    return { missed: decisions.flatMap(decision => missOf(deps.index, entry, decision) ?? []) }
  })

  on(contracts.listPolicies).serve(({ query, request, reply }) => {
    const versions = policies.after(pageStart(query)?.id, pageSize(query))
    linkNext(request, reply, query, versions)
    return { policies: versions.map(renderPolicy) }
  })

  on(contracts.createPolicy).serve(async ({ body }) => ({
    policy: renderPolicy(await policies.create(body.name, body.weights, body.active ?? true)),
  }))

  on(contracts.activatePolicy).serve(async ({ params }) => {
    demandDatabase(deps)
    return { policy: renderPolicy(await policies.activate(params.id)) }
  })

  on(contracts.replayPolicy).serve(async ({ params, body }) => {
    const { weights } = policies.find(params.id)
    return replay(deps.database.db, weights, rangeOf(body))
  })

  on(contracts.replayWeights).serve(({ body }) =>
    replay(deps.database.db, readWeights(body.weights), rangeOf(body)),
  )
}

const rangeOf = (body: { limit?: number; from?: string; to?: string }) => ({
  limit: body.limit ?? 1_000,
  ...(body.from ? { from: new Date(body.from) } : {}),
  ...(body.to ? { to: new Date(body.to) } : {}),
})
