import {
  checkAnchorSoon,
  checkConformance,
  getConformance,
  reportConformance,
} from '@windlass/contracts/conformance.ts'
import { createRate } from '@windlass/service/rates.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { asNeighbour } from '../neighbours.ts'
import { demandMember } from '../workspaces/access.ts'
import { keepReport } from './keep.ts'
import { showConformance } from './show.ts'

const CHECKS_AN_HOUR = 6

export function conformanceRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const rate = createRate(pool, 'conformance', CHECKS_AN_HOUR * deps.config.rateFactor, 60 * 60)
  on(reportConformance).serve(async ({ params, body }) => {
    await keepReport(deps, params.anchorId, body)
    return { ok: true }
  })
  on(getConformance).serve(async ({ params, principal }) => {
    await demandMember(db, principal.userId, params.anchorId)
    return showConformance(db, params.anchorId)
  })
  on(checkConformance).serve(async ({ params, principal }) => {
    await demandMember(db, principal.userId, params.anchorId)
    await rate.demand(params.anchorId)
    await asNeighbour('The control plane')(
      deps.controlPlane.call(checkAnchorSoon, { params: { anchorId: params.anchorId } }),
    )
    return { ok: true }
  })
}
