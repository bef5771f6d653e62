import type { Removal } from '@windlass/contracts/anchor-life.ts'
import { Problem } from '@windlass/service/problem.ts'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { keepEventIn } from './events.ts'
import { lockAnchor } from './queries.ts'
import { deregister } from './registry.ts'
import { nextStatus } from './status.ts'

export type RemovalReport = Pick<Removal, 'id' | 'state' | 'export' | 'error'>

const order: readonly Removal['state'][] = ['requested', 'exporting', 'withdrawing', 'dropping', 'done']
const aggregator = asNeighbour('The aggregator')

/**
 * Keeps how far the control plane is with a removal. An older report changes nothing. At `withdrawing` the anchor is
 * removed, and the answer waits for the aggregator to have forgotten it. Throws `anchor-not-found`,
 * `dependency-unavailable`.
 */
export async function reportRemoval(deps: Deps, anchorId: string, told: RemovalReport): Promise<void> {
  await deps.database.db.transaction().execute(tx => keep(deps, tx, anchorId, told))
  if (told.state === 'withdrawing') await aggregator(deregister(deps, anchorId))
}

async function keep(deps: Deps, tx: PlatformDb, anchorId: string, told: RemovalReport): Promise<void> {
  const now = deps.clock.now()
  const anchor = await lockAnchor(tx, anchorId)
  const known = await tx
    .selectFrom('removals')
    .selectAll()
    .where('id', '=', told.id)
    .where('anchor_id', '=', anchorId)
    .forUpdate()
    .executeTakeFirst()
  if (!anchor || !known) throw new Problem('anchor-not-found', 'No removal of an anchor has this id.')
  if (known.finished_at !== null || isOlder(told.state, known.state)) return
  const finished = told.state === 'done' || told.state === 'refused'
  await tx
    .updateTable('removals')
    .set({
      state: told.state,
      error: told.error,
      ...(told.export ? { export: JSON.stringify(told.export) } : {}),
      ...(finished ? { finished_at: now } : {}),
    })
    .where('id', '=', told.id)
    .execute()
  const removed = told.state === 'withdrawing' && nextStatus(anchor.status, 'remove')
  if (removed) await tx.updateTable('anchors').set({ status: removed }).where('id', '=', anchorId).execute()
  if (told.state === 'done') {
    const detail = `Removed; its data lies in ${told.export?.file ?? known.export?.file ?? 'no file'}.`
    const event = { id: told.id, kind: 'removed', detail, at: now.toISOString() } as const
    await keepEventIn(deps, tx, anchorId, event)
  }
  if (told.state === 'refused') {
    const details = { removalId: told.id, error: told.error }
    const act = { actor: 'system', action: 'anchor.removal-refused', subject: `anchor:${anchorId}`, details }
    await record(tx, act, now)
  }
}

const isOlder = (state: Removal['state'], known: Removal['state']) =>
  state !== 'refused' && order.indexOf(state) < order.indexOf(known)
