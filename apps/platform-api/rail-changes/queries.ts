import type { RailChange } from '@windlass/contracts/platform/rail-changes.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { PlatformDb, RailChangesTable } from '../tables.ts'
import type { Insertable, Selectable } from 'kysely'

type Row = Selectable<RailChangesTable>

const LISTED = 100

export async function listChanges(db: PlatformDb, anchorId: string): Promise<RailChange[]> {
  const rows = await db
    .selectFrom('rail_changes')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('requested_at', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map(changeOf)
}

/** Breaks `rail_changes_waiting` where a change of the rail waits. */
export async function insertChange(tx: PlatformDb, row: Insertable<RailChangesTable>): Promise<RailChange> {
  return changeOf(await tx.insertInto('rail_changes').values(row).returningAll().executeTakeFirstOrThrow())
}

/** @throws {Problem} `not-found`, `rail-change-decided`. */
export async function lockWaiting(tx: PlatformDb, anchorId: string, id: string): Promise<Row> {
  const row = await tx
    .selectFrom('rail_changes')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('not-found', 'This anchor has no change of a rail with this id.')
  if (row.status !== 'waiting')
    throw new Problem('rail-change-decided', `The change is ${row.status} already.`)
  return row
}

export async function decide(
  tx: PlatformDb,
  id: string,
  decision: { status: 'approved' | 'cancelled'; by: string; at: Date },
): Promise<RailChange> {
  const { status, by, at } = decision
  return changeOf(
    await tx
      .updateTable('rail_changes')
      .set({ status, decided_by: by, decided_at: at })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

const changeOf = (row: Row): RailChange => ({
  ...{ id: row.id, rail: row.rail, provider: row.provider, fields: row.fields, secrets: row.secrets },
  ...{ adds: row.adds, status: row.status },
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  decidedBy: row.decided_by,
  decidedAt: row.decided_at?.toISOString() ?? null,
})
