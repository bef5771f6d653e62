import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import type { Approval } from '@windlass/contracts/platform/invitations.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId, newToken, tokenHash } from '../ids.ts'
import { enqueueEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { invitationEmail } from './emails.ts'

interface Invitee {
  applicationId: string
  /** The company's. */
  name: string
  email: string
  language: EmailLanguage
  /** The administrator's name. */
  by: string
}

/**
 * Creates an invitation, valid for seven days of the database's time, and emails its link. The token is only in the
 * answer and in the email.
 */
export async function invite(
  deps: Deps,
  tx: PlatformDb,
  invitee: Invitee,
): Promise<Pick<Approval, 'rawToken' | 'invitation' | 'redeemUrl'>> {
  const rawToken = newToken()
  const id = newId('inv')
  const { expires_at: expiresAt } = await tx
    .insertInto('invitations')
    .values({
      id,
      application_id: invitee.applicationId,
      token_hash: tokenHash(rawToken),
      created_at: deps.clock.now(),
      created_by: invitee.by,
      expires_at: sql<Date>`date_trunc('milliseconds', now()) + interval '7 days'`,
      used_at: null,
      revoked_at: null,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  // A fragment never reaches a server's log.
  const redeemUrl = `${deps.config.urls.founderConsole}/redeem#token=${rawToken}`
  const email = invitationEmail({ company: invitee.name, redeemUrl, expiresAt })
  await enqueueEmail(tx, deps.sealer, `invitation:${id}`, invitee.email, email, invitee.language)
  return { rawToken, invitation: { id, expiresAt: expiresAt.toISOString() }, redeemUrl }
}

/** Invitations with what their application says. */
function invitations(db: PlatformDb) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('applications as a', 'a.id', 'i.application_id')
    .select([
      'i.id',
      'i.application_id',
      'i.expires_at',
      'i.used_at',
      'i.revoked_at',
      sql<boolean>`i.expires_at <= now()`.as('expired'),
      'a.company_profile',
      'a.stellar_config',
      'a.payment_rails',
      'a.compliance',
      'a.credentials',
      'a.language',
    ])
}

export type InvitationRow = Awaited<ReturnType<ReturnType<typeof invitations>['executeTakeFirstOrThrow']>>

/** Throws `invitation-not-found`, or `invitation-gone` saying in `reason` why it cannot be used any more. */
export async function findOpenInvitation(db: PlatformDb, token: string): Promise<InvitationRow> {
  return requireOpen(await invitations(db).where('i.token_hash', '=', tokenHash(token)).executeTakeFirst())
}

/** Uses an invitation up. Of many redeems at once, the next one waits and sees it used. Throws `invitation-*`. */
export async function claimInvitation(tx: PlatformDb, token: string): Promise<InvitationRow> {
  const locked = invitations(tx).where('i.token_hash', '=', tokenHash(token)).forUpdate('i')
  const invitation = requireOpen(await locked.executeTakeFirst())
  await tx
    .updateTable('invitations')
    .set({ used_at: sql<Date>`now()` })
    .where('id', '=', invitation.id)
    .execute()
  return invitation
}

function requireOpen(invitation: InvitationRow | undefined): InvitationRow {
  if (!invitation) {
    throw new Problem(
      'invitation-not-found',
      'There is no invitation with this token. Open the link in the email.',
    )
  }
  const gone = invitation.used_at
    ? { reason: 'used', detail: 'This invitation has been used. Sign in with a code instead.' }
    : invitation.revoked_at
      ? { reason: 'revoked', detail: 'This invitation was revoked. A newer one may have been emailed.' }
      : invitation.expired
        ? { reason: 'expired', detail: 'This invitation has expired. Request a new one.' }
        : null
  if (gone) throw new Problem('invitation-gone', gone.detail, { extensions: { reason: gone.reason } })
  return invitation
}

/** Whom a token is for; it is not used. Throws `invitation-*`. */
export async function verify(db: PlatformDb, token: string) {
  const invitation = await findOpenInvitation(db, token)
  return {
    email: invitation.company_profile.businessEmail,
    companyName: invitation.company_profile.name,
    expiresAt: invitation.expires_at.toISOString(),
  }
}

type Admin = Principals['admin']

/** Revokes an unused invitation; one that is revoked stays so. Throws `invitation-not-*`. */
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

/** Emails a new invitation in place of an unused one, which is revoked. Throws `invitation-not-*`. */
export async function reissue(deps: Deps, id: string, admin: Admin): Promise<Approval> {
  return deps.database.db.transaction().execute(async tx => {
    const invitation = await lockUnused(tx, id)
    const { application_id: applicationId, company_profile: company } = invitation
    await requireNewest(tx, id, applicationId)
    if (!invitation.revoked_at) await markRevoked(tx, id)
    const { name, businessEmail: email } = company
    const to = { applicationId, name, email, language: invitation.language, by: admin.username }
    const invited = await invite(deps, tx, to)
    const details = { replacedBy: invited.invitation.id }
    await record(tx, act('invitation.reissued', id, admin, details), deps.clock.now())
    return { id: applicationId, status: 'approved' as const, ...invited }
  })
}

async function lockUnused(tx: PlatformDb, id: string) {
  const invitation = await invitations(tx).where('i.id', '=', id).forUpdate('i').executeTakeFirst()
  if (!invitation) throw new Problem('invitation-not-found', 'There is no invitation with this id.')
  if (invitation.used_at) {
    throw new Problem('invitation-not-revocable', 'It has been used: the anchor exists.')
  }
  return invitation
}

async function markRevoked(tx: PlatformDb, id: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

// A revoked one may have been replaced; only an application's last invitation can be replaced again.
async function requireNewest(tx: PlatformDb, id: string, applicationId: string): Promise<void> {
  const other = await tx
    .selectFrom('invitations')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) throw new Problem('invitation-not-revocable', `It was already replaced by ${other.id}.`)
}

const act = (action: string, id: string, admin: Admin, details: Record<string, unknown> = {}) => ({
  actor: `admin:${admin.username}`,
  action,
  subject: `invitation:${id}`,
  details,
})
