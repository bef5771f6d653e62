import { gains, loses, mayCall } from '@windlass/contracts/access.ts'
import type { Member } from '@windlass/contracts/platform/members.ts'
import { memberRoles } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { sql } from 'kysely'
import { readEntries } from '../audit/log.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmail, normalizedEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { managerEmail, roleLostEmail, welcomeEmail } from './emails.ts'
import { managerSince, ownerEmails, roleIn } from './organizations.ts'
import { findUser, hasSignedIn, mayInvite, registerOperator } from './users.ts'

type Role = Member['role']

const MAX_MEMBERS = 1000

/** Owners first, then by address. Throws `organization-not-found`. */
export async function membersOf(db: PlatformDb, userId: string, organizationId: string): Promise<Member[]> {
  await requireRole(db, userId, organizationId)
  const rows = await membersQuery(db, organizationId)
    .orderBy(sql`array_position(${[...memberRoles]}::text[], m.role)`)
    .orderBy('u.email')
    .execute()
  return rows.map(asMember)
}

/**
 * Adds a person and emails them; an address that nobody signed in with yet is registered. `added` bounds how many one
 * organization adds. Throws `organization-not-found`, `forbidden`, `already-a-member`, `too-many-requests`.
 */
export async function addMember(
  deps: Deps & { added: Rate },
  userId: string,
  organizationId: string,
  person: { email: string; role: Role; fullName?: string },
): Promise<Member> {
  const now = deps.clock.now()
  const email = normalizedEmail(person.email)
  const { db } = deps.database
  requireMayChange(await requireRole(db, userId, organizationId), person.role)
  // Before the transaction: many at once would hold every connection, and wait for one to count on.
  await deps.added.demand(organizationId)
  return db.transaction().execute(async tx => {
    const organization = await lockOrganization(tx, organizationId)
    requireMayChange(await requireRole(tx, userId, organizationId), person.role)
    const { count } = await tx
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_MEMBERS)
      throw new Problem('forbidden', `A team has ${MAX_MEMBERS} members at most.`)
    const fullName = person.fullName?.trim() || email.slice(0, email.indexOf('@'))
    const { id: newcomer } = await registerOperator(
      tx,
      { email, fullName, passwordHash: null, confirmed: false },
      now,
    )
    const made = await tx
      .insertInto('memberships')
      .values({
        ...{ organization_id: organizationId, user_id: newcomer, role: person.role, created_at: now },
        manager_since: gains(null, person.role) ? now : null,
      })
      .onConflict(conflict => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst()
    if (!made) throw new Problem('already-a-member', `${email} already belongs to this organization.`)
    if (await mayInvite(tx, newcomer, now)) {
      const inviter = await findUser(tx, userId)
      await enqueueEmail(
        tx,
        deps.sealer,
        // Removed and added again on the same day: one email, so that nobody's mailbox can be filled this way.
        `member:${organizationId}:${newcomer}:${now.toISOString().slice(0, 10)}`,
        email,
        welcomeEmail({
          organization: organization.name,
          inviter: inviter?.fullName ?? email,
          role: person.role,
          consoleUrl: deps.config.urls.founderConsole,
        }),
      )
    }
    await recordMember(
      tx,
      { by: userId, organizationId, change: 'added', details: { email, role: person.role } },
      now,
    )
    const added = await memberIn(tx, organizationId, newcomer)
    if (gains(null, person.role))
      await emailOwners(deps, tx, { by: userId, organizationId, member: added }, now)
    return added
  })
}

/** Throws `organization-not-found`, `member-not-found`, `forbidden`, `last-owner`. */
export async function changeMember(
  deps: Deps,
  userId: string,
  organizationId: string,
  memberId: string,
  role: Role,
  { endKeys }: MemberEnds,
): Promise<Member> {
  return deps.database.db.transaction().execute(async tx => {
    await lockOrganization(tx, organizationId)
    const own = await requireRole(tx, userId, organizationId)
    const member = await memberIn(tx, organizationId, memberId)
    requireMayChange(own, member.role)
    requireMayChange(own, role)
    if (member.role === 'owner' && role !== 'owner') await requireAnotherOwner(tx, organizationId, memberId)
    const now = deps.clock.now()
    const change = { by: userId, organizationId, member }
    if (member.role === role) return member
    const isLess = loses(member.role, role)
    if (isLess) await requireSettledOver(tx, change, now)
    const becomesManager = gains(member.role, role)
    await membership(tx, organizationId, memberId)
      .set({ role, ...(becomesManager ? { manager_since: now } : {}) })
      .execute()
    const details = { email: member.email, before: member.role, role }
    await recordMember(tx, { by: userId, organizationId, change: 'changed', details }, now)
    const changed = { ...member, role }
    if (becomesManager) await emailOwners(deps, tx, { by: userId, organizationId, member: changed }, now)
    const left = { by: userId, organizationId, userId: memberId }
    const keys = makesKeys(member.role) && !makesKeys(role) ? await endKeys(tx, left, now) : []
    if (isLess) await noteLoss(deps, tx, { ...change, keys }, now)
    return changed
  })
}

/** Whether people with this role create API keys. */
const makesKeys = (role: Role): boolean => mayCall(role, { method: 'POST', who: 'admin' })

/** By whom a person lost what they had in a team. */
interface Left {
  by: string
  organizationId: string
  userId: string
}

/** What ends with a membership or a role, in the transaction that ends it. */
export interface MemberEnds {
  /** The keys that they created; returns the names of those that could be used. */
  endKeys(tx: PlatformDb, left: Left, now: Date): Promise<string[]>
  /** What else they have by virtue of the membership. */
  removed(tx: PlatformDb, left: Left): Promise<void>
}

/** Throws as {@link changeMember}. */
export async function removeMember(
  deps: Deps,
  userId: string,
  organizationId: string,
  memberId: string,
  { endKeys, removed }: MemberEnds,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockOrganization(tx, organizationId)
    const own = await requireRole(tx, userId, organizationId)
    const member = await memberIn(tx, organizationId, memberId)
    if (memberId !== userId) requireMayChange(own, member.role)
    if (member.role === 'owner') await requireAnotherOwner(tx, organizationId, memberId)
    const now = deps.clock.now()
    const change = { by: userId, organizationId, member }
    const isLess = loses(member.role, null)
    if (isLess) await requireSettledOver(tx, change, now)
    await tx
      .deleteFrom('memberships')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', memberId)
      .execute()
    const left = { by: userId, organizationId, userId: memberId }
    const keys = await endKeys(tx, left, now)
    await removed(tx, left)
    const details = { email: member.email, role: member.role }
    await recordMember(tx, { by: userId, organizationId, change: 'removed', details }, now)
    if (isLess) await noteLoss(deps, tx, { ...change, keys }, now)
  })
}

/** Serializes changes of one team: two at once could remove each other's last owner. */
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
async function requireRole(db: PlatformDb, userId: string, organizationId: string): Promise<Role> {
  const role = await roleIn(db, userId, organizationId)
  if (!role) throw unknownOrganization()
  return role
}

const unknownOrganization = () =>
  new Problem('organization-not-found', 'You belong to no organization with this id.')

/** Throws `forbidden` where the role may not change a member with the other role. */
function requireMayChange(own: Role, on: Role): void {
  if (own !== 'owner' && own !== 'admin')
    throw new Problem('forbidden', 'Only owners and admins of the organization can do this.')
  if (on === 'owner' && own !== 'owner') throw new Problem('forbidden', 'Only owners can change owners.')
}

const SETTLED_AFTER_MS = 86_400_000

/**
 * Who got their role less than a day ago takes it from those alone who got theirs later: an owner of a minute could else take
 * out everyone who would see it. Throws `forbidden`.
 */
async function requireSettledOver(
  tx: PlatformDb,
  { by, organizationId, member }: TeamChange,
  now: Date,
): Promise<void> {
  const own = await managerSince(tx, by, organizationId)
  if (by === member.userId || own === null || now.getTime() - own.getTime() >= SETTLED_AFTER_MS) return
  const theirs = await managerSince(tx, member.userId, organizationId)
  if (theirs !== null && theirs > own) return
  throw new Problem(
    'forbidden',
    'You got your role less than a day ago. Until then you take it from nobody who had theirs before you.',
  )
}

async function requireAnotherOwner(tx: PlatformDb, organizationId: string, memberId: string): Promise<void> {
  const other = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', memberId)
    .executeTakeFirst()
  if (!other)
    throw new Problem('last-owner', 'An organization needs an owner. Make another member an owner first.')
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

interface Change {
  by: string
  organizationId: string
  change: 'added' | 'changed' | 'removed'
  details: Record<string, string>
}

function recordMember(
  tx: PlatformDb,
  { by, organizationId, change, details }: Change,
  now: Date,
): Promise<unknown> {
  const entry = {
    actor: `operator:${by}`,
    action: `member.${change}`,
    subject: `organization:${organizationId}`,
    details,
  }
  return record(tx, entry, now)
}

/** When someone of a team was last removed or got another role; null: never. */
export async function lastChangeOfTeam(db: PlatformDb, organizationId: string): Promise<Date | null> {
  const subject = `organization:${organizationId}`
  const of = (action: string) => readEntries(db, { subject, action }, null, 1)
  return latest((await Promise.all([of('member.removed'), of('member.changed')])).flat())
}

const latest = (entries: readonly { createdAt: Date }[]): Date | null =>
  entries.reduce<Date | null>((at, { createdAt }) => (at && at > createdAt ? at : createdAt), null)

interface TeamChange {
  by: string
  organizationId: string
  member: Member
}

/** One session is enough to add someone who can approve payouts: owners have a day to see it. */
async function emailOwners(
  deps: Pick<Deps, 'sealer' | 'config'>,
  tx: PlatformDb,
  { by, organizationId, member }: TeamChange,
  now: Date,
): Promise<void> {
  const { name } = await lockOrganization(tx, organizationId)
  const inviter = await findUser(tx, by)
  const email = managerEmail({
    organization: name,
    inviter: inviter?.email ?? by,
    member,
    consoleUrl: deps.config.urls.founderConsole,
  })
  const about = `manager:${organizationId}:${member.userId}`
  await emailOnceADay(deps, tx, { about, to: await ownerEmails(tx, organizationId), email }, now)
}

/** Who loses a role with which they could act hears it at once, and so do the owners. */
async function noteLoss(
  deps: Pick<Deps, 'sealer' | 'config'>,
  tx: PlatformDb,
  { by, organizationId, member, keys }: TeamChange & { keys: readonly string[] },
  now: Date,
): Promise<void> {
  const { name } = await lockOrganization(tx, organizationId)
  await tx.updateTable('organizations').set({ role_lost_at: now }).where('id', '=', organizationId).execute()
  const email = roleLostEmail({
    organization: name,
    by: (await findUser(tx, by))?.email ?? by,
    member,
    keys,
    consoleUrl: deps.config.urls.founderConsole,
  })
  // Nobody is written to who never signed in.
  const theirs = (await hasSignedIn(tx, member.userId)) ? [member.email] : []
  const about = `role-lost:${organizationId}:${member.userId}`
  const to = [...theirs, ...(await ownerEmails(tx, organizationId))]
  await emailOnceADay(deps, tx, { about, to, email }, now)
}

/** The same news of a day is one email to each address. */
async function emailOnceADay(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: PlatformDb,
  { about, to, email }: { about: string; to: readonly string[]; email: Parameters<typeof enqueueEmail>[4] },
  now: Date,
): Promise<void> {
  const day = now.toISOString().slice(0, 10)
  for (const address of new Set(to))
    await enqueueEmail(tx, sealer, `${about}:${day}:${address}`, address, email)
}
