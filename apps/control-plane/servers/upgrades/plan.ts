import { listProvisioned } from '../../anchors/records.ts'
import type { Deps } from '../../deps.ts'
import { canServe, isRecorded, isSameRelease, readPresentRelease } from '../release.ts'
import { hasFailedByItself, insertDueUpgrades } from './records.ts'

/** Asks for the upgrade of running anchors whose release differs from the platform's. */
export async function planUpgrades(deps: Deps): Promise<void> {
  const { db } = deps.database
  // The engine may not have answered when this process started.
  if (!isRecorded(deps.release)) deps.release = await readPresentRelease(deps)
  const to = deps.release
  const anchors = await listProvisioned(db)
  const candidates = anchors.flatMap(({ id, running, release, slot }) =>
    running && release !== null && !isSameRelease(release, to) ? [{ id, release, slot }] : [],
  )
  if (candidates.length === 0) return
  const isCareful = await hasFailedByItself(db, to)
  const due = []
  for (const { id, release, slot } of candidates) {
    const served = () => canServe(deps, { anchorId: id, release, slot }).catch(() => true)
    const isDown = isCareful && !(await served())
    due.push({ id, release, isDown })
  }
  await insertDueUpgrades(db, due, to)
}
