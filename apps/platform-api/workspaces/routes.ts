import { nextCursor } from '@windlass/client/next-page.ts'
import { getAnchorHealth } from '@windlass/contracts/registry.ts'
import { listAnchorOutcomes } from '@windlass/contracts/routing.ts'
import {
  getWorkspace,
  getWorkspaceAudit,
  getWorkspaceDecisions,
  getWorkspaceHealth,
} from '@windlass/contracts/workspaces.ts'
import { linkCursor, linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import { readEntries } from '../audit/read.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { demandMember } from './access.ts'
import { showWorkspace } from './show.ts'

export function workspaceRoutes(on: On, deps: Deps): void {
  const { db } = deps.database

  on(getWorkspace).serve(({ params, principal }) => showWorkspace(db, principal.userId, params.anchorId))
  on(getWorkspaceHealth).serve(async ({ params, principal }) => {
    await demandMember(db, principal.userId, params.anchorId)
    return registryHealth(deps, params.anchorId)
  })
  on(getWorkspaceDecisions).serve(async ({ params, principal, query, request, reply }) => {
    await demandMember(db, principal.userId, params.anchorId)
    const page = await knownToAggregator(
      deps.aggregator.send(listAnchorOutcomes, { params: { id: params.anchorId }, query }),
    )
    const cursor = page && nextCursor(page.headers)
    if (cursor) linkCursor(request, reply, cursor)
    return page?.body.decisions ?? []
  })
  on(getWorkspaceAudit).serve(async ({ params, principal, query, request, reply }) => {
    await demandMember(db, principal.userId, params.anchorId)
    const filter = { subject: `anchor:${params.anchorId}` }
    const found = await readEntries(db, filter, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ entry }) => entry)
  })
}

async function registryHealth({ aggregator }: Deps, id: string) {
  const health = await knownToAggregator(aggregator.call(getAnchorHealth, { params: { id } }))
  return health ?? { uptime: { good: 0, checks: 0, percentage: 100 }, minutes: [] }
}

const told = asNeighbour('The aggregator')

/** What the aggregator answers of an anchor; nothing before it is registered, which is once it stands. */
async function knownToAggregator<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await told(answer)
  } catch (error) {
    if (error instanceof Problem && error.code === 'anchor-not-found') return undefined
    throw error
  }
}
