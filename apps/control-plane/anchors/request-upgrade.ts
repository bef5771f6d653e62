import type { Upgrade, UpgradeRequest } from '@windlass/contracts/anchor-life.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { demandRelease, isSameRelease } from './release.ts'

/**
 * Begins an upgrade of a running anchor; one that is under way to the same release is answered as it stands. Throws
 * `anchor-not-found`, `release-not-found`, and `anchor-wrong-state` where it does not run or goes to another release.
 */
export async function requestUpgrade(
  deps: Deps,
  anchorId: string,
  { requestedBy, ...wish }: UpgradeRequest & { requestedBy: string },
): Promise<Upgrade> {
  const { db } = deps.database
  const anchor = await db.selectFrom('anchors').selectAll().where('id', '=', anchorId).executeTakeFirst()
  if (!anchor) throw new Problem('anchor-not-found', 'There is no such anchor.')
  if (!anchor.running || !anchor.provisioned_at || anchor.removed_at)
    throw new Problem('anchor-wrong-state', 'The anchor is not running: there is nothing to upgrade.')
  const release = await demandRelease(deps, wish)
  const added = await db
    .insertInto('upgrades')
    .values({
      id: randomUUID(),
      anchor_id: anchorId,
      from_release: anchor.release && JSON.stringify(anchor.release),
      to_release: JSON.stringify(release),
      requested_by: requestedBy,
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (added) return shown(added)
  const open = await db
    .selectFrom('upgrades')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (open && isSameRelease(open.to_release, release)) return shown(open)
  throw new Problem('anchor-wrong-state', 'The anchor is being upgraded to another release.')
}

/** Newest first, at most 100, and what serves now. Throws `anchor-not-found`. */
export async function listUpgrades({ database: { db } }: Deps, anchorId: string) {
  const anchor = await db
    .selectFrom('anchors')
    .select('release')
    .where('id', '=', anchorId)
    .executeTakeFirst()
  if (!anchor) throw new Problem('anchor-not-found', 'There is no such anchor.')
  const rows = await db
    .selectFrom('upgrades')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
  return { release: anchor.release, upgrades: rows.map(shown) }
}

function shown(row: Selectable<Tables['upgrades']>): Upgrade {
  return {
    id: row.id,
    from: row.from_release,
    to: row.to_release,
    state: row.state,
    requestedBy: row.requested_by,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
