import { sql } from 'kysely'
import { rm } from 'node:fs/promises'
import type { Selectable } from 'kysely'
import { folderOf } from '../anchors/addresses.ts'
import { alone } from '../anchors/alone.ts'
import { dropAnchorDatabase } from '../anchors/anchor-database.ts'
import { removeAnchorRoute } from '../anchors/route.ts'
import { stopAll } from '../anchors/servers.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { openVault } from '../keys/vault.ts'
import { exportAnchor } from './export.ts'
import { countOpenTransfers } from './open-transfers.ts'
import { report, tellPlatform } from './report.ts'

type Row = Selectable<Tables['removals']>

/**
 * Goes on with a removal from where it stands: the servers stop, what the anchor has is exported and the export
 * verified; then route and registry row go, and last the database and the files. Its keys stay. May be left at any
 * point and begun again.
 */
export async function runRemoval(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const row = await deps.database.db
      .selectFrom('removals')
      .selectAll()
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .executeTakeFirst()
    if (!row) return
    signal.throwIfAborted()
    deps.faults.at(`removal:${row.state}`)
    await steps[row.state](deps, row)
  }
}

type Step = (deps: Deps, row: Row) => Promise<void>

const nothing: Step = async () => {}

const steps: Readonly<Record<Row['state'], Step>> = {
  exporting,
  withdrawing,
  dropping,
  done: nothing,
  refused: nothing,
}

async function exporting(deps: Deps, row: Row): Promise<void> {
  const { anchor_id: anchorId, records } = row
  const { plan, vault } = await readAnchor(deps, anchorId)
  await demandNoUpgrade(deps, anchorId)
  // Under the reconciler's lock: it may have seen the anchor running a moment ago.
  await alone(deps, { of: 'anchor', id: anchorId }, () => stopAll(deps, anchorId), { wait: true })
  const open = row.forced ? 0 : await countOpenTransfers(deps, anchorId, vault)
  if (open > 0) return refuse(deps, row, open)
  const made = await exportAnchor(deps, { removalId: row.id, plan, vault, records })
  deps.faults.at('removal:exported')
  await advance(deps, row, { state: 'withdrawing', export: JSON.stringify(made) })
}

/** One that is under way may be starting servers at this moment; it gives way to the suspension by itself. */
async function demandNoUpgrade({ database }: Deps, anchorId: string): Promise<void> {
  const open = await database.db
    .selectFrom('upgrades')
    .select('id')
    .where('anchor_id', '=', anchorId)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (open) throw new Error('an upgrade of the anchor has not given way yet')
}

/** Nobody reaches it any more, and it is not routed to. */
async function withdrawing(deps: Deps, row: Row): Promise<void> {
  const { anchor_id: anchorId } = row
  const { plan } = await readAnchor(deps, anchorId)
  await stopAll(deps, anchorId)
  await removeAnchorRoute(deps, plan)
  deps.faults.at('removal:unrouted')
  await tellPlatform(deps, anchorId, { id: row.id, state: 'withdrawing', export: row.export, error: null })
  deps.faults.at('removal:withdrawn')
  await advance(deps, row, { state: 'dropping' })
}

async function dropping(deps: Deps, row: Row): Promise<void> {
  const { anchor_id: anchorId, id } = row
  await dropAnchorDatabase(deps, anchorId)
  deps.faults.at('removal:dropped')
  await rm(folderOf(deps.config, anchorId), { recursive: true, force: true })
  await deps.database.db.transaction().execute(async tx => {
    const now = sql<Date>`clock_timestamp()`
    await tx
      .updateTable('anchors')
      .set({ removed_at: now, running: false, sep_port: null, business_port: null })
      .where('id', '=', anchorId)
      .execute()
    const done = await tx
      .updateTable('removals')
      .set({ state: 'done', finished_at: now })
      .where('id', '=', id)
      .where('state', '=', 'dropping')
      .executeTakeFirst()
    if (done.numUpdatedRows === 0n) return
    await report(tx, anchorId, { id, state: 'done', export: row.export, error: null })
  })
}

async function readAnchor({ database, master }: Deps, anchorId: string) {
  const { plan, data_key } = await database.db
    .selectFrom('anchors')
    .select(['plan', 'data_key'])
    .where('id', '=', anchorId)
    .executeTakeFirstOrThrow()
  return { plan, vault: openVault(master, anchorId, data_key) }
}

async function refuse(deps: Deps, { id, anchor_id: anchorId }: Row, open: number): Promise<void> {
  const error = open === 1 ? '1 transfer is open.' : `${open} transfers are open.`
  await deps.database.db.transaction().execute(async tx => {
    await tx
      .updateTable('removals')
      .set({ state: 'refused', error, finished_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
    await report(tx, anchorId, { id, state: 'refused', export: null, error })
  })
}

async function advance(
  { database: { db } }: Deps,
  { id, state }: Row,
  to: { state: 'withdrawing' | 'dropping'; export?: string },
): Promise<void> {
  await db.updateTable('removals').set(to).where('id', '=', id).where('state', '=', state).execute()
}
