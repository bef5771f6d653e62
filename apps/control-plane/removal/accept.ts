import { notify } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { lockAnchor, openAnchor, setAwake, setRunning } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { lockJobOfAnchor } from '../provisioning/journal.ts'
import { countOpenTransfers, listOwed } from './open-transfers.ts'
import { unitsHeld } from './units-held.ts'
import { findRemoval, insertRemoval } from './records.ts'
import { reportRemovalLater } from './report.ts'

interface Acceptance {
  removalId: string
  forced: boolean
  records: Record<string, unknown>
}

/**
 * Accepts a removal, once for each id. Throws `anchor-not-found`, and `anchor-wrong-state` while the anchor is being
 * provisioned or where it is being removed already.
 */
export async function acceptRemoval(deps: Deps, anchorId: string, given: Acceptance): Promise<void> {
  const { removalId, forced, records } = given
  await deps.database.db.transaction().execute(async tx => {
    await lockAnchor(tx, anchorId)
    const job = await lockJobOfAnchor(tx, anchorId)
    const known = await findRemoval(tx, anchorId, removalId)
    if (known?.id === removalId) return
    if (known) throw new Problem('anchor-wrong-state', 'The anchor is being removed already.')
    if (job?.status === 'pending' || job?.status === 'running')
      throw new Problem('anchor-wrong-state', 'The anchor is still being provisioned.')
    await insertRemoval(tx, { id: removalId, anchorId, forced, records })
    await setRunning(tx, anchorId, false)
    await setAwake(tx, anchorId)
    await reportRemovalLater(tx, anchorId, { id: removalId, state: 'exporting', export: null, error: null })
    await notify(tx, 'removals', removalId)
  })
}

/** What speaks against a removal. Throws `anchor-not-found`. */
export async function whatIsLeft(deps: Deps, anchorId: string) {
  const { plan, vault } = await openAnchor(deps, anchorId)
  const units = await unitsHeld(deps, plan)
  const owed = await listOwed(deps, anchorId, vault)
  return { open: await countOpenTransfers(deps, anchorId, vault), owed, ...(units ? { units } : {}) }
}
