import type { Member } from '@windlass/contracts/members.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { postLetter } from '../mail/send.ts'
import { normalizedEmail, registerOperator } from '../operators/register.ts'
import { welcomeLetter } from './letter.ts'

type Role = Member['role']

// Far above any real team; keeps a list one page.
const MOST_MEMBERS = 1000

/** Owners first, then by address. Throws `organization-not-found`. */
export async function membersOf(db: PlatformDb, userId: string, organizationId: string): Promise<Member[]> {
  await demandRole(db, userId, organizationId)
  const rows = await membersQuery(db, organizationId)
    .orderBy(sql`array_position(array['owner', 'admin', 'member'], m.role)`)
    .orderBy('u.email')
    .execute()
  return rows.map(asMember)
}

/**
 * Brings a person in and mails them; an address that nobody signed in with yet is registered. Throws
 * `organization-not-found`, `forbidden`, `already-a-member`.
 */
export async function addMember(
  deps: Deps,
  userId: string,
  organizationId: string,
  person: { email: string; role: Role; fullName?: string },
): Promise<Member> {
  const now = deps.clock.now()
  const email = normalizedEmail(person.email)
  return deps.database.db.transaction().execute(async tx => {
    const organization = await lockOrganization(tx, organizationId)
    demandMay(await demandRole(tx, userId, organizationId), person.role)
    const { count } = await tx
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MOST_MEMBERS)
      throw new Problem('forbidden', `A team has ${MOST_MEMBERS} members at most.`)
    const fullName = person.fullName?.trim() || email.slice(0, email.indexOf('@'))
    const { userId: newcomer } = await registerOperator(tx, { email, fullName, passwordHash: null }, now)
    const made = await tx
      .insertInto('memberships')
      .values({ organization_id: organizationId, user_id: newcomer, role: person.role, created_at: now })
      .onConflict(conflict => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst()
    if (!made) throw new Problem('already-a-member', `${email} belongs to this organization already.`)
    const inviter = await tx
      .selectFrom('users')
      .select('full_name')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    await postLetter(
      tx,
      deps.sealer,
      // Taken out and brought in again on one day: one mail, so that nobody's mailbox can be filled this way.
      `member:${organizationId}:${newcomer}:${now.toISOString().slice(0, 10)}`,
      email,
      welcomeLetter({
        organization: organization.name,
        inviter: inviter.full_name,
        role: person.role,
        consoleUrl: deps.config.urls.founderConsole,
      }),
    )
    await recordMember(
      tx,
      { by: userId, organizationId, act: 'added', details: { email, role: person.role } },
      now,
    )
    return memberIn(tx, organizationId, newcomer)
  })
}

/** Throws `organization-not-found`, `member-not-found`, `forbidden`, `last-owner`. */
export async function changeMember(
  deps: Deps,
  userId: string,
  organizationId: string,
  memberId: string,
  role: Role,
): Promise<Member> {
  return deps.database.db.transaction().execute(async tx => {
    await lockOrganization(tx, organizationId)
    const own = await demandRole(tx, userId, organizationId)
    const member = await memberIn(tx, organizationId, memberId)
    demandMay(own, member.role)
    demandMay(own, role)
    if (member.role === 'owner' && role !== 'owner') await demandAnotherOwner(tx, organizationId, memberId)
    await membership(tx, organizationId, memberId).set({ role }).execute()
    const details = { email: member.email, before: member.role, role }
    await recordMember(tx, { by: userId, organizationId, act: 'changed', details }, deps.clock.now())
    return { ...member, role }
  })
}

/** Throws as {@link changeMember}. */
export async function removeMember(
  deps: Deps,
  userId: string,
  organizationId: string,
  memberId: string,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockOrganization(tx, organizationId)
    const own = await demandRole(tx, userId, organizationId)
    const member = await memberIn(tx, organizationId, memberId)
    if (memberId !== userId) demandMay(own, member.role)
    if (member.role === 'owner') await demandAnotherOwner(tx, organizationId, memberId)
    await tx
      .deleteFrom('memberships')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', memberId)
      .execute()
    const details = { email: member.email, role: member.role }
    await recordMember(tx, { by: userId, organizationId, act: 'removed', details }, deps.clock.now())
  })
}

/** Two who act on one team take turns: neither may take out the last owner that the other relies on. */
async function lockOrganization(tx: PlatformDb, id: string): Promise<{ name: string }> {
  const row = await tx
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw unknownOrganization()
  return row
}

/** The operator's own role. Throws `organization-not-found`, for others' organizations too. */
async function demandRole(db: PlatformDb, userId: string, organizationId: string): Promise<Role> {
  const row = await db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw unknownOrganization()
  return row.role
}

const unknownOrganization = () =>
  new Problem('organization-not-found', 'You belong to no organization with this id.')

/** Throws `forbidden` where the role may not act on those of another. */
function demandMay(own: Role, on: Role): void {
  if (own === 'member')
    throw new Problem('forbidden', 'Only owners and admins of the organization may do that.')
  if (on === 'owner' && own !== 'owner') throw new Problem('forbidden', 'Only owners may do that to owners.')
}

async function demandAnotherOwner(tx: PlatformDb, organizationId: string, memberId: string): Promise<void> {
  const other = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', memberId)
    .executeTakeFirst()
  if (!other)
    throw new Problem('last-owner', 'An organization keeps one owner. Make somebody else an owner first.')
}

const membership = (tx: PlatformDb, organizationId: string, memberId: string) =>
  tx.updateTable('memberships').where('organization_id', '=', organizationId).where('user_id', '=', memberId)

const membersQuery = (db: PlatformDb, organizationId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.full_name', 'm.role', 'm.created_at'])
    .where('m.organization_id', '=', organizationId)

async function memberIn(db: PlatformDb, organizationId: string, memberId: string): Promise<Member> {
  const row = await membersQuery(db, organizationId).where('u.id', '=', memberId).executeTakeFirst()
  if (!row) throw new Problem('member-not-found', 'This organization has no member with this id.')
  return asMember(row)
}

interface Row {
  id: string
  email: string
  full_name: string
  role: Role
  created_at: Date
}

const asMember = (row: Row): Member => ({
  userId: row.id,
  email: row.email,
  fullName: row.full_name,
  role: row.role,
  since: row.created_at.toISOString(),
})

interface Act {
  by: string
  organizationId: string
  act: 'added' | 'changed' | 'removed'
  details: Record<string, string>
}

function recordMember(
  tx: PlatformDb,
  { by, organizationId, act, details }: Act,
  now: Date,
): Promise<unknown> {
  const entry = {
    actor: `operator:${by}`,
    action: `member.${act}`,
    subject: `organization:${organizationId}`,
    details,
  }
  return record(tx, entry, now)
}
