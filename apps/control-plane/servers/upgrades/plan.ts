import { listProvisioned } from '../../anchors/records.ts'
import type { Deps } from '../../deps.ts'
import { isSameRelease, presentRelease } from '../release.ts'
import { insertDueUpgrades } from './records.ts'

/** Asks for the upgrade of running anchors whose release differs from the platform's. */
export async function planUpgrades({ database: { db }, config }: Deps): Promise<void> {
  const to = presentRelease(config)
  const anchors = await listProvisioned(db)
  const candidates = anchors.filter(
    ({ running, release }) => running && release !== null && !isSameRelease(release, to),
  )
  if (candidates.length > 0) await insertDueUpgrades(db, candidates, to)
}
