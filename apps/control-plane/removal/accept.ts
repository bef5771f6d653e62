import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { openVault } from '../keys/vault.ts'
import { countOpenTransfers } from './open-transfers.ts'
import { report } from './report.ts'

export interface Acceptance {
  removalId: string
  forced: boolean
  records: Record<string, unknown>
}

/**
 * Takes a removal over, once for each id. Throws `anchor-not-found`, and `anchor-wrong-state` while the anchor is still
 * being provisioned or where another removal is under way.
 */
export async function acceptRemoval(deps: Deps, anchorId: string, given: Acceptance): Promise<void> {
  const { removalId, forced, records } = given
  await deps.database.db.transaction().execute(async tx => {
    const anchor = await tx
      .selectFrom('anchors')
      .innerJoin('jobs', 'jobs.anchor_id', 'anchors.id')
      .select(['anchors.id', 'jobs.status'])
      .where('anchors.id', '=', anchorId)
      .forUpdate()
      .executeTakeFirst()
    if (!anchor) throw unknown()
    const known = await tx
      .selectFrom('removals')
      .select(['id', 'state'])
      .where('anchor_id', '=', anchorId)
      .where(known => known.or([known('id', '=', removalId), known('state', '<>', 'refused')]))
      .executeTakeFirst()
    if (known?.id === removalId) return
    if (known) throw new Problem('anchor-wrong-state', 'The anchor is being removed already.')
    if (anchor.status === 'pending' || anchor.status === 'running')
      throw new Problem('anchor-wrong-state', 'The anchor is still being provisioned.')
    await tx
      .insertInto('removals')
      .values({ id: removalId, anchor_id: anchorId, forced, records: JSON.stringify(records) })
      .execute()
    await tx.updateTable('anchors').set({ running: false }).where('id', '=', anchorId).execute()
    await report(tx, anchorId, { id: removalId, state: 'exporting', export: null, error: null })
  })
}

/** Throws `anchor-not-found`. */
export async function openTransfersOf(deps: Deps, anchorId: string): Promise<number> {
  const anchor = await deps.database.db
    .selectFrom('anchors')
    .select('data_key')
    .where('id', '=', anchorId)
    .executeTakeFirst()
  if (!anchor) throw unknown()
  return countOpenTransfers(deps, anchorId, openVault(deps.master, anchorId, anchor.data_key))
}

const unknown = () => new Problem('anchor-not-found', 'There is no such anchor.')
