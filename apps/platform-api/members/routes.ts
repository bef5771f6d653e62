import * as contracts from '@windlass/contracts/members.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { addMember, changeMember, membersOf, removeMember } from './manage.ts'

export function memberRoutes(on: On, deps: Deps): void {
  on(contracts.listMembers).serve(({ params, principal }) =>
    membersOf(deps.database.db, principal.userId, params.organizationId),
  )
  on(contracts.addMember).serve(({ params, principal, body }) =>
    addMember(deps, principal.userId, params.organizationId, body),
  )
  on(contracts.changeMember).serve(({ params, principal, body }) =>
    changeMember(deps, principal.userId, params.organizationId, params.userId, body.role),
  )
  on(contracts.removeMember).serve(async ({ params, principal }) => {
    await removeMember(deps, principal.userId, params.organizationId, params.userId)
    return { ok: true }
  })
}
