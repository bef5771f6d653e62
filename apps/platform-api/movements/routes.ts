import { findMovementsElsewhere, reportMovement } from '@windlass/contracts/internal/internal.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { requireAnchor, requireVisit } from '../visits/visits.ts'
import { addMovement, movementsElsewhere } from './movements.ts'

export function movementRoutes(on: On, deps: Deps): void {
  on(reportMovement).serve(async ({ principal, body }) => {
    const anchorId = requireAnchor(principal)
    await requireVisit(deps.database.db, principal, body.customerId)
    await addMovement(deps, anchorId, body)
    return { ok: true }
  })
  on(findMovementsElsewhere).serve(async ({ principal, body: { customerIds, since } }) => ({
    movements: await movementsElsewhere(deps, requireAnchor(principal), customerIds, new Date(since)),
  }))
}
