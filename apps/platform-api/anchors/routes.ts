import { listFleet, resumeAnchor, suspendAnchor } from '@windlass/contracts/administrators.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/pages.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { findFleet } from './queries.ts'
import { setSuspended } from './suspend.ts'

export function anchorRoutes(on: On, deps: Deps): void {
  on(listFleet).serve(async ({ query, request, reply }) => {
    const found = await findFleet(deps.database.db, query.status, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ anchor }) => anchor)
  })
  on(suspendAnchor).serve(({ params, body, principal }) =>
    setSuspended(deps, params.id, 'suspend', principal, body.reason),
  )
  on(resumeAnchor).serve(({ params, principal }) => setSuspended(deps, params.id, 'resume', principal))
}
