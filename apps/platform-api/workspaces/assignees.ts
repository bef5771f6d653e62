import { mayCall } from '@windlass/contracts/access.ts'
import { planWorkspaceCase } from '@windlass/contracts/platform/workspace-cases.ts'
import type { assignWorkspaceDifference } from '@windlass/contracts/platform/workspace-reconciliation.ts'
import type { Call } from '@windlass/service/http/endpoint-route.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { requireMember } from '../anchors/access.ts'
import type { Deps } from '../deps.ts'
import { roleIn } from '../operators/organizations.ts'

/** Throws `member-not-found` for an assignee who does not work in the organization. */
export async function requireAssignable(
  { database: { db } }: Deps,
  { params, body, principal }: Call<typeof assignWorkspaceDifference>,
): Promise<undefined> {
  if (body.to === null) return
  const { anchor } = await requireMember(db, principal.userId, params.anchorId)
  const [, assignee] = /^operator:(.+)$/.exec(body.to) ?? []
  if (assignee && (await roleIn(db, assignee, anchor.organization_id))) return
  throw new Problem('member-not-found', 'Nobody with this id works in the organization.')
}

/** Throws `member-not-found` for an assignee who does not decide about cases. */
export async function requireOfficer(
  { database: { db } }: Deps,
  { params, body: { assignedTo }, principal }: Call<typeof planWorkspaceCase>,
): Promise<undefined> {
  if (assignedTo === null) return
  const { anchor } = await requireMember(db, principal.userId, params.anchorId)
  const [, assignee] = /^operator:(.+)$/.exec(assignedTo) ?? []
  const role = assignee && (await roleIn(db, assignee, anchor.organization_id))
  if (role && mayCall(role, planWorkspaceCase)) return
  throw new Problem('member-not-found', 'Nobody with this id decides about cases in the organization.')
}
