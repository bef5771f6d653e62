import type { MemberRole } from '@windlass/contracts/realm.ts'
import { compiled } from '@windlass/service/postgres/compiled.ts'
import type { PlatformDb } from '../tables.ts'
import { newId } from '../ids.ts'

/** A new organization with its owner. */
export async function createOrganization(
  tx: PlatformDb,
  organization: { name: string; slug: string; ownerId: string },
  now: Date,
): Promise<string> {
  const id = newId('org')
  const { name, slug, ownerId } = organization
  await tx.insertInto('organizations').values({ id, name, slug, created_at: now }).execute()
  await tx
    .insertInto('memberships')
    .values({ organization_id: id, user_id: ownerId, role: 'owner', created_at: now })
    .execute()
  return id
}

/** Keeps a team as it is until the transaction ends: who is removed meanwhile waits, and finds what was opened for them. */
export async function holdTeam(tx: PlatformDb, organizationId: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', organizationId).forShare().execute()
}

/** The user's role in an organization; null for one they do not belong to. */
export async function roleIn(db: PlatformDb, userId: string, organizationId: string) {
  const row = await db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}

/** Since when a user may do what needs a second person; null: since the team exists, or they may not. */
export async function managerSince(
  db: PlatformDb,
  userId: string,
  organizationId: string,
): Promise<Date | null> {
  const row = await db
    .selectFrom('memberships')
    .select('manager_since')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.manager_since ?? null
}

/** When someone last lost a role with which they approved what needs two people; null: nobody did. */
export async function roleLostAt(db: PlatformDb, organizationId: string): Promise<Date | null> {
  const query = db.selectFrom('organizations').select('role_lost_at').where('id', '=', organizationId)
  return (await query.executeTakeFirst())?.role_lost_at ?? null
}

/** Whether an organization has someone else than this user in one of these roles. */
export async function hasOther(
  db: PlatformDb,
  userId: string,
  organizationId: string,
  roles: readonly MemberRole[],
): Promise<boolean> {
  const other = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '!=', userId)
    .where('role', 'in', roles)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** The organizations a user belongs to, the newest first. */
export const organizationsOf = compiled((db: PlatformDb, { userId }: { userId: string }) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.name', 'o.slug', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('o.created_at', 'desc'),
)

/** The id of the organization with a short name; null: there is none. */
export async function organizationOfSlug(db: PlatformDb, slug: string): Promise<string | null> {
  const row = await db.selectFrom('organizations').select('id').where('slug', '=', slug).executeTakeFirst()
  return row?.id ?? null
}

/** The short name of an organization. */
export async function slugOf(db: PlatformDb, id: string): Promise<string> {
  const row = await db
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.slug
}

/** Names by id. */
export async function organizationNames(
  db: PlatformDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('organizations').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Email addresses of an organization's owners. */
export async function ownerEmails(db: PlatformDb, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('users.confirmed_at', 'is not', null)
    .orderBy('users.email')
    .execute()
  return rows.map(row => row.email)
}

/** The members of an organization who have signed in, with their addresses and roles. */
export const listPeople = (db: PlatformDb, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'memberships.role'])
    .where('organization_id', '=', organizationId)
    .where('users.confirmed_at', 'is not', null)
    .orderBy('users.email')
    .execute()

/** An organization with its members, for the export of an anchor. */
export async function organizationRecords(db: PlatformDb, organizationId: string) {
  const organization = await db
    .selectFrom('organizations')
    .select(['id', 'name', 'slug'])
    .where('id', '=', organizationId)
    .executeTakeFirst()
  const members = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'users.full_name as fullName', 'role'])
    .where('organization_id', '=', organizationId)
    .execute()
  return { ...organization, members }
}
