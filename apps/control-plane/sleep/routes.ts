import { listSleepingAnchors } from '@windlass/contracts/internal/control-plane.ts'
import type { On } from '@windlass/service/http/server.ts'
import { listSleepingSummaries } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { standInOf } from '../servers/pair.ts'

export function sleepRoutes(on: On, deps: Deps): void {
  on(listSleepingAnchors).serve(async () => {
    const summaries = await listSleepingSummaries(deps.database.db)
    return summaries.map(summary => ({ ...summary, apiUrl: standInOf(deps, summary.anchorId, 'business') }))
  })
}
