import { brokenUnique } from '@windlass/service/postgres/database.ts'
import { requireUncommonPassword } from '@windlass/service/http/password-strength.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { draftAnchor } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { hashPassword } from '../infrastructure/passwords.ts'
import { createOrganization } from '../operators/organizations.ts'
import { registerOperator } from '../operators/users.ts'
import { startJob } from '../provisioning/start.ts'
import { claimInvitation, findOpenInvitation } from './invitations.ts'
import { planAnchor } from './plan.ts'
import { requireUsableSubdomain } from './subdomain.ts'

interface Redemption {
  token: string
  subdomain: string
  fullName: string
  password: string
}

/**
 * Redeems an invitation. In one transaction the token is used, the owner registered, the organization created, the
 * anchor drafted and its job enqueued for the control plane. Throws `subdomain-*` and `invitation-*`; nothing has
 * changed then and the token is still valid.
 */
export async function redeem(deps: Deps, { token, subdomain, fullName, password }: Redemption) {
  const { db } = deps.database
  const { company_profile: company } = await findOpenInvitation(db, token)
  requireUncommonPassword(password, [company.name, company.businessEmail, fullName, subdomain])
  requireUsableSubdomain(subdomain, deps.config.anchors)
  // Before the transaction: no lock is held while it is computed.
  const passwordHash = await hashPassword(password)

  const work = db.transaction().execute(async tx => {
    const now = deps.clock.now()
    const invitation = await claimInvitation(tx, token)
    const plan = planAnchor(invitation, subdomain, deps.config)
    const owner = { email: plan.businessEmail, fullName, passwordHash, confirmed: true }
    const { id: userId, isNew } = await registerOperator(tx, owner, now)
    const organization = { name: plan.organizationName, slug: subdomain, ownerId: userId }
    const organizationId = await createOrganization(tx, organization, now)
    await draftAnchor(tx, { plan, applicationId: invitation.application_id, organizationId }, now)
    const jobId = await startJob(tx, plan, now)
    await record(
      tx,
      {
        actor: `operator:${userId}`,
        action: 'invitation.redeemed',
        subject: `anchor:${plan.anchorId}`,
        details: { invitationId: invitation.id, organizationId, subdomain, newUser: isNew },
      },
      now,
    )
    return { jobId, anchorId: plan.anchorId, organizationId, subdomain, homeDomain: plan.homeDomain }
  })
  const redeemed = await work.catch(error => {
    throw TAKEN.has(brokenUnique(error) ?? '') ? subdomainTaken(subdomain) : error
  })
  deps.faults.at('redeem:kept')
  return redeemed
}

// A subdomain names the anchor and its organization; another redeem may take it at the same time.
const TAKEN: ReadonlySet<string> = new Set(['anchors_subdomain_key', 'organizations_slug_key'])

const subdomainTaken = (subdomain: string): Problem =>
  new Problem('subdomain-taken', `"${subdomain}" is taken. Choose another; your invitation is still valid.`, {
    errors: [{ path: 'subdomain', message: 'is taken' }],
  })
