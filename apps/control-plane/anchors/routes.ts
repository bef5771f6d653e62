import { setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import type { Reconciler } from './reconcile.ts'
import { setAnchorRunning as setRunning } from './set-running.ts'

export function anchorRoutes(on: On, deps: Deps, reconciler: Pick<Reconciler, 'wake'>): void {
  on(setAnchorRunning).serve(async ({ params, body }) => {
    await setRunning(deps, params.anchorId, body.running)
    reconciler.wake()
    return { ok: true }
  })
}
