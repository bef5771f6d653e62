import { listFleet } from '@windlass/contracts/platform/administrators.ts'
import { seesCompliance } from '@windlass/contracts/access.ts'
import { getAccessReview } from '@windlass/contracts/platform/access-review.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { getAnchorHealth } from '@windlass/contracts/aggregator/registry.ts'
import { listAnchorOutcomes, listMissedRoutes } from '@windlass/contracts/aggregator/routing.ts'
import * as contracts from '@windlass/contracts/platform/workspaces.ts'
import { linkCursor, linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireMember } from '../anchors/access.ts'
import { readEntries } from '../audit/log.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { reviewAccess } from './access-review.ts'
import { developerRequestRoutes } from './developer-requests.ts'
import { listFleetPage } from './fleet.ts'
import { closedActions, founderActs } from './founder-acts.ts'
import { notificationRoutes } from './notifications.ts'
import { profileOf } from './profile.ts'
import { getWorkspace } from './workspace.ts'

export function workspaceRoutes(on: On, deps: Deps): void {
  const { db } = deps.database

  for (const act of founderActs) act.serve(on, deps)
  developerRequestRoutes(on, deps)
  notificationRoutes(on, deps)
  on(getOperatorProfile).serve(({ principal }) => profileOf(db, principal))
  on(listFleet).serve(async ({ query, request, reply }) => {
    const found = await listFleetPage(db, query.status, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ anchor }) => anchor)
  })
  on(contracts.getWorkspace).serve(({ params, principal }) =>
    getWorkspace(db, principal.userId, params.anchorId),
  )
  on(contracts.getWorkspaceHealth).serve(async ({ params, principal }) => {
    await requireMember(db, principal.userId, params.anchorId)
    return registryHealth(deps, params.anchorId)
  })
  on(contracts.getWorkspaceDecisions).serve(async ({ params, principal, query, request, reply }) => {
    await requireMember(db, principal.userId, params.anchorId)
    const page = await ifRegistered(
      deps.aggregator.send(listAnchorOutcomes, { params: { id: params.anchorId }, query }),
    )
    const cursor = page && nextCursor(page.headers)
    if (cursor) linkCursor(request, reply, cursor)
    return page?.body.decisions ?? []
  })
  on(contracts.getWorkspaceMissedRoutes).serve(async ({ params, principal, query, request, reply }) => {
    await requireMember(db, principal.userId, params.anchorId)
    const page = await ifRegistered(
      deps.aggregator.send(listMissedRoutes, { params: { id: params.anchorId }, query }),
    )
    const cursor = page && nextCursor(page.headers)
    if (cursor) linkCursor(request, reply, cursor)
    return page?.body.missed ?? []
  })
  on(getAccessReview).serve(({ params, principal }) => reviewAccess(deps, principal.userId, params.anchorId))
  on(contracts.getWorkspaceAudit).serve(async ({ params, principal, query, request, reply }) => {
    const { role } = await requireMember(db, principal.userId, params.anchorId)
    const without = seesCompliance(role) ? {} : { without: closedActions }
    const filter = { subject: `anchor:${params.anchorId}`, ...without }
    const found = await readEntries(db, filter, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ entry }) => entry)
  })
}

async function registryHealth({ aggregator }: Deps, id: string) {
  const health = await ifRegistered(aggregator.call(getAnchorHealth, { params: { id } }))
  return health ?? { uptime: { good: 0, checks: 0, percentage: 100 }, minutes: [] }
}

const fromAggregator = passProblems('The aggregator')

/** The aggregator's answer about an anchor; undefined before the anchor is registered. */
async function ifRegistered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await fromAggregator(answer)
  } catch (error) {
    if (error instanceof Problem && error.code === 'anchor-not-found') return undefined
    throw error
  }
}
