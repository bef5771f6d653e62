import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'

/** Notes whether a provisioned anchor is to run; the reconciler sees to it. Throws `anchor-not-found`. */
export async function setAnchorRunning(deps: Deps, anchorId: string, running: boolean): Promise<void> {
  const result = await deps.database.db
    .updateTable('anchors')
    .set({ running })
    .where('id', '=', anchorId)
    .where('provisioned_at', 'is not', null)
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) throw new Problem('anchor-not-found', 'There is no such anchor.')
}
