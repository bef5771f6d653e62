import { getUpgrades, requestUpgrade, setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import type { Changes } from './changes.ts'
import type { Reconciler } from './reconcile.ts'
import { listUpgrades, requestUpgrade as request } from './request-upgrade.ts'
import { setAnchorRunning as setRunning } from './set-running.ts'

export function anchorRoutes(
  on: On,
  deps: Deps,
  { reconciler, changes }: { reconciler: Pick<Reconciler, 'wake'>; changes: Pick<Changes, 'wake'> },
): void {
  on(setAnchorRunning).serve(async ({ params, body }) => {
    await setRunning(deps, params.anchorId, body.running)
    reconciler.wake()
    return { ok: true }
  })
  on(requestUpgrade).serve(async ({ params, body }) => {
    const upgrade = await request(deps, params.anchorId, body)
    changes.wake()
    return upgrade
  })
  on(getUpgrades).serve(({ params }) => listUpgrades(deps, params.anchorId))
}
