import type { Approval } from '@windlass/contracts/invitations.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/problem.ts'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { invite } from './invite.ts'
import { lockById, markRevoked } from './queries.ts'

type Admin = Principals['admin']

/** Makes an unused invitation worthless; one that is revoked stays so. Throws `invitation-not-*`. */
export async function revoke(deps: Deps, id: string, admin: Admin) {
  return deps.database.db.transaction().execute(async tx => {
    const invitation = await lockUnused(tx, id)
    if (!invitation.revoked_at) {
      await markRevoked(tx, id)
      await record(tx, act('invitation.revoked', id, admin), deps.clock.now())
    }
    return { id, status: 'revoked' as const }
  })
}

/** Mails a new invitation in the place of an unused one, which is worthless then. Throws `invitation-not-*`. */
export async function reissue(deps: Deps, id: string, admin: Admin): Promise<Approval> {
  return deps.database.db.transaction().execute(async tx => {
    const invitation = await lockUnused(tx, id)
    const { application_id: applicationId, company_profile: company } = invitation
    await demandNewest(tx, id, applicationId)
    if (!invitation.revoked_at) await markRevoked(tx, id)
    const to = { applicationId, name: company.name, email: company.businessEmail, by: admin.username }
    const invited = await invite(deps, tx, to)
    const details = { replacedBy: invited.invitation.id }
    await record(tx, act('invitation.reissued', id, admin, details), deps.clock.now())
    return { id: applicationId, status: 'approved' as const, ...invited }
  })
}

async function lockUnused(tx: PlatformDb, id: string) {
  const invitation = await lockById(tx, id)
  if (!invitation) throw new Problem('invitation-not-found', 'There is no invitation with this id.')
  if (invitation.used_at) {
    throw new Problem('invitation-not-revocable', 'It has been used: the anchor exists.')
  }
  return invitation
}

// A revoked one may have been replaced; only the last of an application is replaced again.
async function demandNewest(tx: PlatformDb, id: string, applicationId: string): Promise<void> {
  const other = await tx
    .selectFrom('invitations')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) throw new Problem('invitation-not-revocable', `It was replaced by ${other.id} already.`)
}

const act = (action: string, id: string, admin: Admin, details: Record<string, unknown> = {}) => ({
  actor: `admin:${admin.username}`,
  action,
  subject: `invitation:${id}`,
  details,
})
