import { managerSince, roleIn, roleLostAt } from '../operators/organizations.ts'
import { anchorOfSecret, findAnchor } from './anchors.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { mayCall, type Act } from '@windlass/contracts/access.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'

/**
 * An anchor with the operator's role in its organization. Throws `anchor-not-found` , also for another
 * organization's anchor.
 */
export async function requireMember(db: PlatformDb, userId: string, anchorId: string) {
  const anchor = await findAnchor(db, anchorId)
  const role = anchor && (await roleIn(db, userId, anchor.organization_id))
  if (!role) throw new Problem('anchor-not-found', 'None of your organizations has an anchor with this id.')
  return { anchor, role }
}

/** As {@link requireMember}, and an owner or admin. Throws `forbidden`. */
export async function requireManager(db: PlatformDb, userId: string, anchorId: string) {
  const member = await requireMember(db, userId, anchorId)
  requireMay(member.role, { method: 'POST', who: 'admin' })
  return member
}

/** Throws `forbidden` where the table of access gives the role no right to it. */
export function requireMay(role: MemberRole, act: Act): void {
  if (mayCall(role, act)) return
  const { who = 'member', area } = act
  if (who === 'owner') throw new Problem('forbidden', 'Only owners of the organization can do this.')
  const people =
    area === undefined || area === 'any' ? 'owners and admins' : `owners, admins and people of ${area}`
  throw new Problem(
    'forbidden',
    who === 'admin' || area ? `Only ${people} of the organization can do this.` : 'Auditors change nothing.',
  )
}

const SETTLED_AFTER_MS = 24 * 60 * 60 * 1_000
const AFTER_LOSS_MS = 7 * SETTLED_AFTER_MS

/**
 * Someone who may do what needs a second person does it only after a day: one person could otherwise add a second one, and
 * approve what they began. Who got the role after another person lost theirs does it a week after that: a stolen owner's
 * session could otherwise put its own person in the place of those who would see it. Throws `second-person-needed`.
 */
export async function requireSettled(db: PlatformDb, userId: string, anchorId: string, now: Date) {
  const { anchor } = await requireMember(db, userId, anchorId)
  const since = await managerSince(db, userId, anchor.organization_id)
  if (since === null) return
  const lost = await roleLostAt(db, anchor.organization_id)
  const settled = since.getTime() + SETTLED_AFTER_MS
  const from = lost && lost <= since ? Math.max(settled, lost.getTime() + AFTER_LOSS_MS) : settled
  if (now.getTime() >= from) return
  throw new Problem(
    'second-person-needed',
    `You got your role recently. You can do what needs a second person from ${new Date(from).toISOString()} on. Until then, ask an owner or admin who had the role before.`,
  )
}

/**
 * `x-service-secret`: the platform services' own, or one anchor's. An anchor's is looked up by its hash, so that no
 * comparison reveals anything; the secret of a suspended or removed anchor is refused.
 */
export function internalGuard({ config, database }: Deps): Guard<'internal'> {
  return async request => {
    const given = request.headers['x-service-secret']
    if (typeof given === 'string' && sameSecret(given, config.serviceSecret)) return { kind: 'platform' }
    const anchorId =
      typeof given === 'string' && given.length >= 16
        ? await anchorOfSecret(database.db, tokenHash(given))
        : null
    if (!anchorId) throw new Problem('unauthenticated', 'Send a service secret in x-service-secret.')
    return { kind: 'anchor', anchorId }
  }
}
