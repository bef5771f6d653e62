import type { Approval } from '@windlass/contracts/invitations.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { newId, newToken, tokenHash } from '../ids.ts'
import { postLetter } from '../mail/send.ts'
import { invitationLetter } from './letters.ts'
import { insertInvitation } from './queries.ts'

export interface Invitee {
  applicationId: string
  /** The company's. */
  name: string
  email: string
  /** The administrator's name. */
  by: string
}

/** Makes an invitation and posts its link. The token exists in the answer and in the mail alone. */
export async function invite(
  deps: Deps,
  tx: PlatformDb,
  invitee: Invitee,
): Promise<Pick<Approval, 'rawToken' | 'invitation' | 'redeemUrl'>> {
  const rawToken = newToken()
  const id = newId('inv')
  const expiresAt = await insertInvitation(tx, {
    id,
    applicationId: invitee.applicationId,
    tokenHash: tokenHash(rawToken),
    by: invitee.by,
    now: deps.clock.now(),
  })
  // A fragment never reaches a server's log.
  const redeemUrl = `${deps.config.urls.founderConsole}/redeem#token=${rawToken}`
  const letter = invitationLetter(invitee.name, redeemUrl, expiresAt)
  await postLetter(tx, deps.sealer, `invitation:${id}`, invitee.email, letter)
  return { rawToken, invitation: { id, expiresAt: expiresAt.toISOString() }, redeemUrl }
}
