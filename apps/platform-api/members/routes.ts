import * as contracts from '@windlass/contracts/members.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { demandConfirmed } from '../operators/confirm.ts'
import { addMember, changeMember, membersOf, removeMember } from './manage.ts'

export function memberRoutes(on: On, deps: Deps): void {
  on(contracts.listMembers).serve(({ params, principal }) =>
    membersOf(deps.database.db, principal.userId, params.organizationId),
  )
  on(contracts.addMember).serve(async ({ params, principal, body }) => {
    await demandConfirmed(deps.database.db, principal.sessionId)
    return addMember(deps, principal.userId, params.organizationId, body)
  })
  on(contracts.changeMember).serve(async ({ params, principal, body }) => {
    await demandConfirmed(deps.database.db, principal.sessionId)
    return changeMember(deps, principal.userId, params.organizationId, params.userId, body.role)
  })
  on(contracts.removeMember).serve(async ({ params, principal }) => {
    await demandConfirmed(deps.database.db, principal.sessionId)
    await removeMember(deps, principal.userId, params.organizationId, params.userId)
    return { ok: true }
  })
}
