import type { OperatorProfile } from '@windlass/contracts/operators.ts'
import type { PlatformDb } from '../database.ts'

/** The operator with every organization they belong to and its anchors; a removed anchor is no project any more. */
export async function profileOf(db: PlatformDb, userId: string): Promise<OperatorProfile> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'full_name as fullName'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const organizations = await db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.name', 'o.slug', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('o.created_at', 'desc')
    .execute()
  const anchors = await db
    .selectFrom('anchors as a')
    .innerJoin('memberships as m', 'm.organization_id', 'a.organization_id')
    .innerJoin('organizations as o', 'o.id', 'a.organization_id')
    .select(['a.id', 'a.organization_id', 'a.subdomain', 'a.status', 'a.home_domain as homeDomain', 'o.name'])
    .where('m.user_id', '=', userId)
    .where('a.status', '!=', 'removed')
    .orderBy('a.created_at', 'desc')
    .execute()
  return {
    user,
    organizations: organizations.map(each => ({
      ...each,
      anchors: anchors.filter(anchor => anchor.organization_id === each.id),
    })),
    projects: anchors.map(({ id, name, subdomain, status, homeDomain }) => ({
      id,
      name,
      anchorId: id,
      subdomain,
      status,
      homeDomain,
    })),
  }
}
