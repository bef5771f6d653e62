import { Problem } from '@windlass/service/problem.ts'
import type { PlatformDb } from '../database.ts'

/**
 * The operator's role in an anchor's workspace. Throws `anchor-not-found` for the anchor of another organization as
 * for one that never was.
 */
export async function demandMember(db: PlatformDb, userId: string, anchorId: string) {
  const row = await db
    .selectFrom('anchors as a')
    .innerJoin('memberships as m', 'm.organization_id', 'a.organization_id')
    .select(['a.id', 'a.organization_id as organizationId', 'm.role'])
    .where('a.id', '=', anchorId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new Problem('anchor-not-found', 'None of your organizations has an anchor with this id.')
  return row
}

/** As {@link demandMember}, and an owner or admin. Throws `forbidden`. */
export async function demandManager(db: PlatformDb, userId: string, anchorId: string) {
  const member = await demandMember(db, userId, anchorId)
  if (member.role === 'member')
    throw new Problem('forbidden', 'Only owners and admins of the organization may do that.')
  return member
}
