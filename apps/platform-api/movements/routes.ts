import { findMovementsElsewhere, reportMovement } from '@windlass/contracts/internal/internal.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { requireAnchor, requireVisit } from '../visits/visits.ts'
import { addMovement, movementsElsewhere } from './movements.ts'

/** Movements of one customer at one anchor in a day; the anchor sends the rest later. */
const REPORTS_A_DAY = 500

export function movementRoutes(on: On, deps: Deps): void {
  const reports = createRate(deps.database.pool, 'movements', REPORTS_A_DAY, 86_400)
  on(reportMovement).serve(async ({ principal, body }) => {
    const anchorId = requireAnchor(principal)
    await requireVisit(deps.database.db, principal, body.customerId)
    await reports.demandQuietly(`${anchorId} ${body.customerId}`)
    await addMovement(deps, anchorId, body)
    return { ok: true }
  })
  on(findMovementsElsewhere).serve(async ({ principal, body: { customerIds, since } }) => ({
    movements: await movementsElsewhere(deps, requireAnchor(principal), customerIds, new Date(since)),
  }))
}
