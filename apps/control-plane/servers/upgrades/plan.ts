import { listProvisioned } from '../../anchors/records.ts'
import type { Deps } from '../../deps.ts'
import { isRecorded, isSameRelease, readPresentRelease } from '../release.ts'
import { insertDueUpgrades } from './records.ts'

/** Asks for the upgrade of running anchors whose release differs from the platform's. */
export async function planUpgrades(deps: Deps): Promise<void> {
  const { db } = deps.database
  // The engine may not have answered when this process started.
  if (!isRecorded(deps.release)) deps.release = await readPresentRelease(deps)
  const to = deps.release
  const anchors = await listProvisioned(db)
  const candidates = anchors.filter(
    ({ running, release }) => running && release !== null && !isSameRelease(release, to),
  )
  if (candidates.length > 0) await insertDueUpgrades(db, candidates, to)
}
