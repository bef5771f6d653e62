import { getAnchorSigning, setAnchorSigningLimits } from '@windlass/contracts/internal/control-plane.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireMember } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'

const controlPlane = passProblems('The control plane')

/** What an anchor's servers may have signed. Its operator decides, never its servers. */
export function signingRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(getWorkspaceSigning).serve(async ({ params, principal }) => {
    await requireMember(db, principal.userId, params.anchorId)
    return controlPlane(deps.controlPlane.call(getAnchorSigning, { params }))
  })
  on(setWorkspaceSigningLimits).serve(async ({ params, principal, body }) => {
    const signing = await controlPlane(deps.controlPlane.call(setAnchorSigningLimits, { params, body }))
    const entry = {
      actor: `operator:${principal.userId}`,
      action: 'anchor.signing-limits-set',
      subject: `anchor:${params.anchorId}`,
      details: body,
    }
    await db.transaction().execute(tx => record(tx, entry, deps.clock.now()))
    return signing
  })
}
