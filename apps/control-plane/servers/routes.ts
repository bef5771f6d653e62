import { getUpgrades, requestUpgrade, setAnchorRunning } from '@windlass/contracts/control-plane.ts'
import { notify } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { On } from '@windlass/service/server.ts'
import { getAnchor, setRunning } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { listUpgrades, requestUpgrade as request } from './upgrades/request.ts'

export function serverRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(setAnchorRunning).serve(async ({ params, body }) => {
    const { id, provisioned_at } = await getAnchor(db, params.anchorId)
    if (provisioned_at === null) throw new Problem('anchor-not-found', 'There is no such anchor.')
    await setRunning(db, id, body.running)
    await notify(db, 'reconciliation', id)
    return { ok: true }
  })
  on(requestUpgrade).serve(({ params, body }) => request(deps, params.anchorId, body))
  on(getUpgrades).serve(({ params }) => listUpgrades(deps, params.anchorId))
}
