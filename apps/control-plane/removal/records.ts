import type { Export } from '@windlass/contracts/platform/anchor-life.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Selectable } from 'kysely'
import type { Tables } from '../tables.ts'
import { listUnfinished } from '../unfinished.ts'

export type RemovalRow = Selectable<Tables['removals']>

/** The removal of that id, or the one of the anchor that is open or done. */
export async function findRemoval(
  db: Db<Tables>,
  anchorId: string,
  id?: string,
): Promise<Pick<RemovalRow, 'id' | 'state'> | undefined> {
  return db
    .selectFrom('removals')
    .select(['id', 'state'])
    .where('anchor_id', '=', anchorId)
    .where(row => row.or([row('id', '=', id ?? ''), row('state', '<>', 'refused')]))
    .executeTakeFirst()
}

/** Whether an anchor is being removed, or is removed. */
export async function isRemoved(db: Db<Tables>, anchorId: string): Promise<boolean> {
  return (await findRemoval(db, anchorId)) !== undefined
}

export async function insertRemoval(
  tx: Db<Tables>,
  removal: { id: string; anchorId: string; forced: boolean; records: Record<string, unknown> },
): Promise<void> {
  const { id, anchorId, forced, records } = removal
  await tx
    .insertInto('removals')
    .values({ id, anchor_id: anchorId, forced, records: JSON.stringify(records) })
    .execute()
}

/** Ids of removals that are not finished, oldest first. */
export const listOpenRemovals = (db: Db<Tables>): Promise<string[]> => listUnfinished(db, 'removals')

/** A removal that is not finished. */
export async function findOpenRemoval(db: Db<Tables>, id: string): Promise<RemovalRow | undefined> {
  return db
    .selectFrom('removals')
    .selectAll()
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
}

/** Moves a removal to its next state; it does nothing where another process has done so. */
export async function advanceRemoval(
  db: Db<Tables>,
  { id, state }: RemovalRow,
  to: { state: 'withdrawing' | 'dropping'; export?: string },
): Promise<void> {
  await db.updateTable('removals').set(to).where('id', '=', id).where('state', '=', state).execute()
}

/** False where the removal is in another state by now. */
export async function finishRemoval(
  tx: Db<Tables>,
  { id, state }: RemovalRow,
  outcome: { state: 'done' | 'refused'; error?: string },
): Promise<boolean> {
  const done = await tx
    .updateTable('removals')
    .set({ ...outcome, finished_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** The anchor's export; null where there is none. */
export async function findExport(db: Db<Tables>, anchorId: string): Promise<Export | null> {
  const row = await db
    .selectFrom('removals')
    .select('export')
    .where('anchor_id', '=', anchorId)
    .where('export', 'is not', null)
    .executeTakeFirst()
  return row?.export ?? null
}
