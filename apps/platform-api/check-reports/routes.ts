import {
  requestWalletChecks,
  startWalletChecks,
  getWalletChecks,
  reportWalletChecks,
} from '@windlass/contracts/platform/wallet-checks.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { requireMember } from '../anchors/access.ts'
import { listReports, recordReport } from './reports.ts'

const CHECKS_AN_HOUR = 6

export function walletCheckRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const rate = createRate(pool, 'wallet-checks', CHECKS_AN_HOUR * deps.config.rateFactor, 60 * 60)
  on(reportWalletChecks).serve(async ({ params, body }) => {
    await recordReport(deps, params.anchorId, body)
    return { ok: true }
  })
  on(getWalletChecks).serve(async ({ params, principal }) => {
    await requireMember(db, principal.userId, params.anchorId)
    return listReports(db, params.anchorId)
  })
  on(startWalletChecks).serve(async ({ params }) => {
    await rate.demand(params.anchorId)
    await passProblems('The control plane')(
      deps.controlPlane.call(requestWalletChecks, { params: { anchorId: params.anchorId } }),
    )
    return { ok: true }
  })
}
