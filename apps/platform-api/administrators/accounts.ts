import type { Administrator } from '@windlass/contracts/platform/administrator-accounts.ts'
import type { AdminRole, Principals } from '@windlass/contracts/realm.ts'
import { weaknessOfAdministrator } from '@windlass/service/http/password-strength.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { hashPassword } from '../infrastructure/passwords.ts'
import { enqueueEmail, type LocalizedEmail } from '../mail/email.ts'
import { forgetLanguage } from '../mail/languages.ts'
import { forgetTimeZone } from '../time-zones/time-zones.ts'
import {
  administrator,
  forgetFactors,
  lockPerson,
  resetSecondFactors,
  subjectsWithSecondFactor,
} from '../second-factors/factors.ts'
import { endOtherSessions, endSessionsOf, lastSignIns } from '../sessions/sessions.ts'
import type { PlatformDb } from '../tables.ts'
import type { AdministratorRow } from '../sign-in-tables.ts'
import { passwordChangedEmail, removedEmail, roleChangedEmail } from './emails.ts'

type Admin = Principals['admin']

/** The id of the owner whom the settings name. */
const FROM_SETTINGS = 'settings'

/** An administrator who accepted an invitation, by (lower-case) address. */
export const findAccount = (db: PlatformDb, email: string): Promise<AdministratorRow | undefined> =>
  db.selectFrom('administrators').selectAll().where('email', '=', email).executeTakeFirst()

/** As {@link findAccount}; who removes the account waits until the transaction ends. */
export const holdAccount = (tx: PlatformDb, email: string): Promise<AdministratorRow | undefined> =>
  tx.selectFrom('administrators').selectAll().where('email', '=', email).forShare().executeTakeFirst()

/** The role of an administrator now; null for one who was removed. */
export async function roleOf(
  { config }: Pick<Deps, 'config'>,
  db: PlatformDb,
  username: string,
): Promise<AdminRole | null> {
  if (username === config.admin.username) return 'owner'
  return (await findAccount(db, username))?.role ?? null
}

/** Addresses of the administrators who can act: all but viewers. The settings' owner may have a name that is no address. */
export async function administratorEmails(
  db: PlatformDb,
  { admin: { username } }: Pick<Deps['config'], 'admin'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('administrators')
    .select('email')
    .where('role', '<>', 'viewer')
    .orderBy('email')
    .execute()
  return [...new Set([...(username.includes('@') ? [username] : []), ...rows.map(({ email }) => email)])]
}

/** The owner whom the settings name, then owners, operators and viewers, each by address. */
export async function listAdministrators({ database: { db }, config }: Deps): Promise<Administrator[]> {
  const rows = await db
    .selectFrom('administrators')
    .selectAll()
    .where('email', '!=', config.admin.username)
    .orderBy(sql`array_position(array['owner', 'operator', 'viewer'], role)`)
    .orderBy('email')
    .execute()
  const protectedOnes = await subjectsWithSecondFactor(db, 'admin')
  const signIns = await lastSignIns(db, 'admin')
  const stateOf = (username: string) => ({
    username,
    secondFactor: protectedOnes.has(username),
    lastSignInAt: signIns.get(username)?.toISOString() ?? null,
  })
  const first = { id: FROM_SETTINGS, name: null, role: 'owner' as const, invitedBy: null, since: null }
  return [
    { ...first, ...stateOf(config.admin.username), fromSettings: true },
    ...rows.map(row => ({ ...describe(row), ...stateOf(row.email) })),
  ]
}

const describe = (row: AdministratorRow) => ({
  id: row.id,
  name: row.name,
  role: row.role,
  fromSettings: false,
  invitedBy: row.invited_by,
  since: row.created_at.toISOString(),
})

/**
 * Serializes changes of who administers. Throws `role-needed` where the caller stopped being an owner meanwhile: two
 * owners may change each other at once.
 */
export async function lockAdministrators(deps: Deps, tx: PlatformDb, admin: Admin): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('administrators', 0))`.execute(tx)
  if ((await roleOf(deps, tx, admin.username)) !== 'owner') {
    throw new Problem('role-needed', 'This needs the role owner, which you no longer have.')
  }
}

/** Throws `administrator-not-found`, `owner-from-settings`. */
async function changeable(tx: PlatformDb, id: string): Promise<AdministratorRow> {
  if (id === FROM_SETTINGS) {
    throw new Problem(
      'owner-from-settings',
      'ADMIN_USERNAME and ADMIN_PASSWORD of the settings name this owner. Change them there.',
    )
  }
  const row = await tx.selectFrom('administrators').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Problem('administrator-not-found', 'There is no administrator with this id.')
  return row
}

/** Throws as {@link changeable}, `role-needed`. */
export async function changeRole(
  deps: Deps,
  admin: Admin,
  id: string,
  role: AdminRole,
): Promise<Administrator> {
  await deps.database.db.transaction().execute(async tx => {
    await lockAdministrators(deps, tx, admin)
    const row = await changeable(tx, id)
    if (row.role === role) return
    await tx.updateTable('administrators').set({ role }).where('id', '=', id).execute()
    if (row.role === 'owner') await revokeInvitationsBy(tx, row.email)
    await notify(deps, tx, row.email, roleChangedEmail({ by: admin.username, before: row.role, after: role }))
    const act = actOf(admin.username, 'administrator.role-changed', row.email, {
      before: row.role,
      after: role,
    })
    await record(tx, act, deps.clock.now())
  })
  const changed = (await listAdministrators(deps)).find(each => each.id === id)
  if (!changed) throw new Problem('administrator-not-found', 'There is no administrator with this id.')
  return changed
}

/** Ends what an administrator has elsewhere, in the transaction that removes them. */
export type AdministratorRemoved = (tx: PlatformDb, email: string) => Promise<void>

/**
 * Removes an administrator with their second factors, sessions and the invitations that they sent. Throws as
 * {@link changeRole}.
 */
export async function removeAdministrator(
  deps: Deps,
  admin: Admin,
  id: string,
  onRemoved: AdministratorRemoved,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockAdministrators(deps, tx, admin)
    const { email, role } = await changeable(tx, id)
    const person = administrator(email)
    await lockPerson(tx, person)
    // First, so that a sign-in under way has ended before its session is looked for.
    await tx.deleteFrom('administrators').where('id', '=', id).execute()
    await endSessionsOf(tx, 'admin', email)
    await forgetFactors(tx, person)
    await onRemoved(tx, email)
    await revokeInvitationsBy(tx, email)
    await notify(deps, tx, email, removedEmail({ by: admin.username }))
    await forgetLanguage(tx, email)
    await forgetTimeZone(tx, email)
    const act = actOf(admin.username, 'administrator.removed', email, { role })
    await record(tx, act, deps.clock.now())
  })
}

/** Throws `administrator-not-found`, `owner-from-settings`, `second-factor-not-found`. */
export async function resetFactorsOf(deps: Deps, admin: Admin, id: string, reason: string): Promise<void> {
  const { email } = await changeable(deps.database.db, id)
  await resetSecondFactors(deps, administrator(email), `admin:${admin.username}`, reason)
}

/** Throws `owner-from-settings`, `validation-failed` for a weak password. */
export async function changePassword(deps: Deps, admin: Admin, password: string): Promise<void> {
  const account = await findAccount(deps.database.db, admin.username)
  if (!account || admin.username === deps.config.admin.username) {
    throw new Problem(
      'owner-from-settings',
      'Your password is ADMIN_PASSWORD of the settings. Change it there.',
    )
  }
  const passwordHash = await hashNewPassword(password, [account.email, account.name])
  await deps.database.db.transaction().execute(async tx => {
    await tx
      .updateTable('administrators')
      .set({ password_hash: passwordHash })
      .where('id', '=', account.id)
      .execute()
    await endOtherSessions(tx, 'admin', account.email, admin.sessionId)
    await notify(deps, tx, account.email, passwordChangedEmail({}))
    const act = actOf(account.email, 'administrator.password-changed', account.email)
    await record(tx, act, deps.clock.now())
  })
}

/** Throws `validation-failed` for a password that is weak. `known` are words about the person. */
export function hashNewPassword(password: string, known: readonly string[]): Promise<string> {
  const weakness = weaknessOfAdministrator(password, known)
  if (weakness) throw invalid('password', weakness)
  return hashPassword(password)
}

/** An invitation is worth nothing once its sender may not invite. */
async function revokeInvitationsBy(tx: PlatformDb, username: string): Promise<void> {
  await tx.deleteFrom('administrator_invitations').where('invited_by', '=', username).execute()
}

export const actOf = (by: string, action: string, email: string, details: Record<string, unknown> = {}) => ({
  actor: `admin:${by}`,
  action,
  subject: `administrator:${email}`,
  details,
})

async function notify(
  { sealer }: Deps,
  tx: PlatformDb,
  email: string,
  change: LocalizedEmail,
): Promise<void> {
  await enqueueEmail(tx, sealer, newId('mail'), email, change)
}
