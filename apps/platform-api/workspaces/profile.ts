import type { OperatorProfile } from '@windlass/contracts/platform/operators.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { anchorsOf } from '../anchors/anchors.ts'
import { organizationsOf } from '../operators/organizations.ts'
import type { PlatformDb } from '../tables.ts'
import { findTimeZone } from '../time-zones/time-zones.ts'

/** The operator with their organizations and each one's anchors, without removed ones. */
export async function profileOf(
  db: PlatformDb,
  { userId, email, fullName, organizationId }: Principals['operator'],
): Promise<OperatorProfile> {
  const all = await organizationsOf(db, { userId })
  const organizations = organizationId === null ? all : all.filter(({ id }) => id === organizationId)
  const anchors = await anchorsOf(
    db,
    organizations.map(({ id }) => id),
  )
  return {
    user: { id: userId, email, fullName },
    timeZone: await findTimeZone(db, email),
    organizations: organizations.map(each => ({
      ...each,
      anchors: anchors.filter(anchor => anchor.organization_id === each.id),
    })),
    projects: anchors.map(({ id, organization_id, subdomain, status, homeDomain }) => ({
      id,
      name: organizations.find(each => each.id === organization_id)?.name ?? '',
      anchorId: id,
      subdomain,
      status,
      homeDomain,
    })),
  }
}
