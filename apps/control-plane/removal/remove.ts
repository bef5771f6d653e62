import { rm } from 'node:fs/promises'
import { alone } from '../alone.ts'
import { endAuthorization } from '../anchors/accounts.ts'
import { folderOf } from '../anchors/addresses.ts'
import { getAnchor, openAnchor, setRemoved } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { dropAnchorDatabase } from '../servers/database.ts'
import { removeAnchorRoute } from '../servers/route.ts'
import { stopAll } from '../servers/servers.ts'
import { findOpenUpgrade } from '../servers/upgrades/records.ts'
import { exportAnchor } from './export.ts'
import { countOpenTransfers } from './open-transfers.ts'
import { advanceRemoval, findOpenRemoval, finishRemoval, type RemovalRow } from './records.ts'
import { reportRemovalLater, reportRemovalNow } from './report.ts'

/**
 * Continues a removal: the servers stop, the anchor's data is exported and the export verified; then the route and the
 * registry row go, and last the database and the files. The keys stay. May be interrupted at any point and run again.
 */
export async function runRemoval(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const row = await findOpenRemoval(deps.database.db, id)
    if (!row) return
    signal.throwIfAborted()
    deps.faults.at(`removal:${row.state}`)
    await steps[row.state](deps, row)
  }
}

type Step = (deps: Deps, row: RemovalRow) => Promise<void>

const nothing: Step = async () => {}

const steps: Readonly<Record<RemovalRow['state'], Step>> = {
  exporting,
  withdrawing,
  dropping,
  done: nothing,
  refused: nothing,
}

async function exporting(deps: Deps, row: RemovalRow): Promise<void> {
  const { anchor_id: anchorId, records } = row
  const { plan, vault } = await openAnchor(deps, anchorId)
  // An open upgrade may be starting servers now; it ends by itself since the anchor is suspended.
  if (await findOpenUpgrade(deps.database.db, anchorId)) {
    throw new Error('an upgrade of the anchor is still open')
  }
  // Under the reconciler's lock: it may have seen the anchor running a moment ago.
  await alone(deps, { of: 'anchor', id: anchorId }, () => stopAll(deps, anchorId), { wait: true })
  const open = row.forced ? 0 : await countOpenTransfers(deps, anchorId, vault)
  if (open > 0) return refuse(deps, row, open)
  const made = await exportAnchor(deps, { removalId: row.id, plan, vault, records })
  deps.faults.at('removal:exported')
  await advanceRemoval(deps.database.db, row, { state: 'withdrawing', export: JSON.stringify(made) })
}

/** Takes the anchor off the reverse proxy and out of routing. */
async function withdrawing(deps: Deps, row: RemovalRow): Promise<void> {
  const { id, anchor_id: anchorId } = row
  const { plan } = await getAnchor(deps.database.db, anchorId)
  await stopAll(deps, anchorId)
  await endAuthorization(deps, anchorId)
  await removeAnchorRoute(deps, plan)
  deps.faults.at('removal:unrouted')
  await reportRemovalNow(deps, anchorId, { id, state: 'withdrawing', export: row.export, error: null })
  deps.faults.at('removal:withdrawn')
  await advanceRemoval(deps.database.db, row, { state: 'dropping' })
}

async function dropping(deps: Deps, row: RemovalRow): Promise<void> {
  const { anchor_id: anchorId, id } = row
  await deps.runtime.remove?.(anchorId)
  await dropAnchorDatabase(deps, anchorId)
  deps.faults.at('removal:dropped')
  await rm(folderOf(deps.config, anchorId), { recursive: true, force: true })
  await deps.database.db.transaction().execute(async tx => {
    await setRemoved(tx, anchorId)
    if (!(await finishRemoval(tx, row, { state: 'done' }))) return
    await reportRemovalLater(tx, anchorId, { id, state: 'done', export: row.export, error: null })
  })
}

async function refuse(deps: Deps, row: RemovalRow, open: number): Promise<void> {
  const { id, anchor_id: anchorId } = row
  const error = open === 1 ? '1 transfer is open.' : `${open} transfers are open.`
  await deps.database.db.transaction().execute(async tx => {
    if (!(await finishRemoval(tx, row, { state: 'refused', error }))) return
    await reportRemovalLater(tx, anchorId, { id, state: 'refused', export: null, error })
  })
}
