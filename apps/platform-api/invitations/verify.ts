import { Problem } from '@windlass/service/problem.ts'
import type { PlatformDb } from '../database.ts'
import { tokenHash } from '../ids.ts'
import { findByToken, type InvitationRow } from './queries.ts'

/** Throws `invitation-not-found`, or `invitation-gone` saying in `reason` why it cannot be used any more. */
export function demandOpen(invitation: InvitationRow | undefined): InvitationRow {
  if (!invitation) {
    throw new Problem(
      'invitation-not-found',
      'There is no invitation with this token. Open the link of the mail.',
    )
  }
  const gone = invitation.used_at
    ? { reason: 'used', detail: 'This invitation has been used. Sign in with a code instead.' }
    : invitation.revoked_at
      ? { reason: 'revoked', detail: 'This invitation was withdrawn. A newer one may have been mailed.' }
      : invitation.expired
        ? { reason: 'expired', detail: 'This invitation has expired. Ask for a new one.' }
        : null
  if (gone) throw new Problem('invitation-gone', gone.detail, { extensions: { reason: gone.reason } })
  return invitation
}

/** Whom a token is for; it stays unused. */
export async function verify(db: PlatformDb, token: string) {
  const invitation = demandOpen(await findByToken(db, tokenHash(token)))
  return {
    email: invitation.company_profile.businessEmail,
    companyName: invitation.company_profile.name,
    expiresAt: invitation.expires_at.toISOString(),
  }
}
