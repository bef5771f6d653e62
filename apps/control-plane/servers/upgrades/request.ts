import type { Upgrade, UpgradeRequest } from '@windlass/contracts/platform/anchor-life.ts'
import { notify } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { getAnchor, isProvisioned } from '../../anchors/records.ts'
import type { Deps } from '../../deps.ts'
import { demandRelease, isSameRelease } from '../release.ts'
import { findOpenUpgrade, insertUpgrade, listUpgradesOf } from './records.ts'

/**
 * Requests the upgrade of a running anchor; an open upgrade to the same release is returned as it is. Throws
 * `anchor-not-found`, `release-not-found`, and `anchor-wrong-state` where the anchor does not run or is being upgraded
 * to another release.
 */
export async function requestUpgrade(
  deps: Deps,
  anchorId: string,
  { requestedBy, ...wish }: UpgradeRequest & { requestedBy: string },
): Promise<Upgrade> {
  const { db } = deps.database
  const anchor = await getAnchor(db, anchorId)
  if (!anchor.running || !isProvisioned(anchor))
    throw new Problem('anchor-wrong-state', 'The anchor is not running: there is nothing to upgrade.')
  const release = await demandRelease(deps, wish)
  const added = await insertUpgrade(db, { anchorId, from: anchor.release, to: release, requestedBy })
  if (added) {
    await notify(db, 'upgrades', added.id)
    return upgradeOf(added)
  }
  const open = await findOpenUpgrade(db, anchorId)
  if (open && isSameRelease(open.to_release, release)) return upgradeOf(open)
  throw new Problem('anchor-wrong-state', 'The anchor is being upgraded to another release.')
}

/** Newest first, at most 100, and the release that serves now. Throws `anchor-not-found`. */
export async function listUpgrades({ database: { db } }: Deps, anchorId: string) {
  const { release } = await getAnchor(db, anchorId)
  const rows = await listUpgradesOf(db, anchorId)
  return { release, upgrades: rows.map(upgradeOf) }
}

function upgradeOf(row: Awaited<ReturnType<typeof listUpgradesOf>>[number]): Upgrade {
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
