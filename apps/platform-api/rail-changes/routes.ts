import * as contracts from '@windlass/contracts/platform/rail-changes.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { anchorPlan } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { approveChange, cancelChange, requestChange } from './change.ts'
import { listChanges } from './queries.ts'

/** How founders change the accounts of their anchor's rails; two of them for each change. */
export function railChangeRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.getWorkspaceRails).serve(async ({ params: { anchorId } }) => {
    const { rails } = await anchorPlan(db, anchorId)
    return { rails, changes: await listChanges(db, anchorId) }
  })
  on(contracts.requestRailChange).serve(async ({ params: { anchorId }, body, principal }) => {
    return answer(201, await requestChange(deps, anchorId, body, `operator:${principal.userId}`))
  })
  on(contracts.approveRailChange).serve(async ({ params: { anchorId, id }, principal }) => {
    return approveChange(deps, anchorId, id, `operator:${principal.userId}`)
  })
  on(contracts.cancelRailChange).serve(async ({ params: { anchorId, id }, principal }) => {
    return cancelChange(deps, anchorId, id, `operator:${principal.userId}`)
  })
}
