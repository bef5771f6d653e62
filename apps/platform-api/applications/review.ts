import type { ApplicationStatus } from '@windlass/contracts/platform/applications.ts'
import type { Approval } from '@windlass/contracts/platform/invitations.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { abandonCredentials } from './credentials.ts'
import { rejectionEmail } from './emails.ts'
import { invite } from './invitations.ts'
import { findApplication, forgetCredentials, markReviewed } from './queries.ts'

type Admin = Principals['admin']

/** Approves: one invitation and one email, also when several administrators approve at once. Throws `application-*`. */
export async function approve(deps: Deps, id: string, admin: Admin): Promise<Approval> {
  return deps.database.db.transaction().execute(async tx => {
    const application = await review(deps, tx, id, 'approved', admin, null)
    const { name, businessEmail } = application.company_profile
    const invited = await invite(deps, tx, {
      applicationId: id,
      name,
      email: businessEmail,
      language: application.language,
      by: admin.username,
    })
    await record(tx, act('application.approved', id, admin), deps.clock.now())
    return { id, status: 'approved' as const, ...invited }
  })
}

/** Rejects: emails the founder and deletes the rail credentials. Throws `application-*`. */
export async function reject(deps: Deps, id: string, admin: Admin, givenReason: string | undefined) {
  const reason = givenReason?.trim() || null
  return deps.database.db.transaction().execute(async tx => {
    const application = await review(deps, tx, id, 'rejected', admin, reason)
    if (application.credentials) {
      await abandonCredentials(tx, application.credentials)
      await forgetCredentials(tx, id)
    }
    const { name, businessEmail } = application.company_profile
    const email = rejectionEmail({ company: name, reason })
    await enqueueEmail(tx, deps.sealer, `rejection:${id}`, businessEmail, email, application.language)
    await record(tx, act('application.rejected', id, admin, reason ? { reason } : {}), deps.clock.now())
    return { id, status: 'rejected' as const }
  })
}

async function review(
  { clock }: Deps,
  tx: PlatformDb,
  id: string,
  to: Review,
  admin: Admin,
  reason: string | null,
) {
  const { from } = reviews[to]
  const application = await markReviewed(tx, id, {
    review: to,
    from,
    by: admin.username,
    reason,
    now: clock.now(),
  })
  if (application) return application
  const known = await findApplication(tx, id)
  if (!known) throw new Problem('application-not-found', 'There is no application with this id.')
  throw new Problem('application-already-reviewed', `It was ${known.status} by ${known.reviewed_by}.`, {
    extensions: { applicationStatus: known.status, reviewedBy: known.reviewed_by },
  })
}

const act = (action: string, id: string, admin: Admin, details: Record<string, unknown> = {}) => ({
  actor: `admin:${admin.username}`,
  action,
  subject: `application:${id}`,
  details,
})

/** Decisions on an application and the status each one requires. */
const reviews = {
  // The founder gets an invitation, which may be revoked later; the approval stays.
  approved: { from: 'applied' },
  // Final: the rail credentials are deleted. The founder can apply again.
  rejected: { from: 'applied' },
} as const satisfies Partial<Record<ApplicationStatus, { from: ApplicationStatus }>>

type Review = keyof typeof reviews
