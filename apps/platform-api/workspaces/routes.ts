import { ProblemError } from '@windlass/client/client.ts'
import { getAnchorHealth } from '@windlass/contracts/registry.ts'
import { getWorkspace, getWorkspaceAudit, getWorkspaceHealth } from '@windlass/contracts/workspaces.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import { readEntries } from '../audit/read.ts'
import type { Deps } from '../deps.ts'
import { demandMember } from './access.ts'
import { showWorkspace } from './show.ts'

export function workspaceRoutes(on: On, deps: Deps): void {
  const { db } = deps.database

  on(getWorkspace).serve(({ params, principal }) => showWorkspace(db, principal.userId, params.anchorId))
  on(getWorkspaceHealth).serve(async ({ params, principal }) => {
    await demandMember(db, principal.userId, params.anchorId)
    return registryHealth(deps, params.anchorId)
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
  try {
    return await aggregator.call(getAnchorHealth, { params: { id } })
  } catch (error) {
    // Registered only once it stands.
    if (error instanceof ProblemError && error.status === 404)
      return { uptime: { good: 0, checks: 0, percentage: 100 }, minutes: [] }
    throw unavailable('The aggregator', error)
  }
}
