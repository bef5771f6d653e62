import type { AdministratorInvitation } from '@windlass/contracts/platform/administrator-accounts.ts'
import type { AdminRole, Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId, newToken, tokenHash } from '../ids.ts'
import { enqueueEmail, normalizedEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import type { AdministratorInvitationRow } from '../sign-in-tables.ts'
import { actOf, findAccount, hashNewPassword, lockAdministrators } from './accounts.ts'
import { invitationEmail } from './emails.ts'

type Admin = Principals['admin']

const DAYS = 7
const MOST = 100

/** Emails a link in place of an earlier one. Throws `already-an-administrator`, `forbidden`, `role-needed`. */
export async function invite(
  deps: Deps,
  admin: Admin,
  to: { email: string; role: AdminRole },
): Promise<AdministratorInvitation> {
  const email = normalizedEmail(to.email)
  const token = newToken()
  return deps.database.db.transaction().execute(async tx => {
    await lockAdministrators(deps, tx, admin)
    if (isFirstOwner(deps, email) || (await findAccount(tx, email))) {
      throw new Problem('already-an-administrator', `${email} already administers the platform.`)
    }
    await requireRoom(tx)
    await tx.deleteFrom('administrator_invitations').where('email', '=', email).execute()
    const row = await tx
      .insertInto('administrator_invitations')
      .values({
        id: newId('inv'),
        email,
        role: to.role,
        token_hash: tokenHash(token),
        invited_by: admin.username,
        expires_at: sql<Date>`now() + ${DAYS} * interval '1 day'`,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    // A fragment never reaches a server's log.
    const message = invitationEmail({
      role: row.role,
      by: row.invited_by,
      expiresAt: row.expires_at,
      url: `${deps.config.urls.adminConsole}/invitation#token=${token}`,
    })
    await enqueueEmail(tx, deps.sealer, `administrator:${row.id}`, email, message)
    await record(
      tx,
      actOf(admin.username, 'administrator.invited', email, { role: to.role }),
      deps.clock.now(),
    )
    return describe(row)
  })
}

/** Those that can still be accepted, the newest first. */
export async function listInvitations(db: PlatformDb): Promise<AdministratorInvitation[]> {
  const rows = await open(db).orderBy('created_at', 'desc').orderBy('id').limit(MOST).execute()
  return rows.map(describe)
}

/** Throws `invitation-not-found`, `role-needed`. */
export async function revokeInvitation(deps: Deps, admin: Admin, id: string): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockAdministrators(deps, tx, admin)
    const row = await tx
      .deleteFrom('administrator_invitations')
      .where('id', '=', id)
      .returning(['email', 'role'])
      .executeTakeFirst()
    if (!row) throw new Problem('invitation-not-found', 'There is no open invitation with this id.')
    const act = actOf(admin.username, 'administrator.invitation-revoked', row.email, { role: row.role })
    await record(tx, act, deps.clock.now())
  })
}

/** Whom a token is for; it is not used. Throws `invitation-gone`. */
export async function verifyInvitation({ database: { db } }: Deps, token: string) {
  const { email, role, invitedBy, expiresAt } = describe(await requireOpen(db, token))
  return { email, role, invitedBy, expiresAt }
}

/** Creates the administrator. Throws `invitation-gone`, `validation-failed` for a weak password. */
export async function acceptInvitation(
  deps: Deps,
  given: { token: string; name: string; password: string },
): Promise<{ username: string; role: AdminRole }> {
  const { db } = deps.database
  const name = given.name.trim()
  const { email } = await requireOpen(db, given.token)
  // Before the transaction: no lock is held while it is computed.
  const passwordHash = await hashNewPassword(given.password, [email, name])
  return db.transaction().execute(async tx => {
    const { id, role, invited_by: invitedBy } = await requireOpen(tx, given.token)
    const { numDeletedRows } = await tx
      .deleteFrom('administrator_invitations')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n || isFirstOwner(deps, email)) throw gone()
    await tx
      .insertInto('administrators')
      .values({ id: newId('adm'), email, name, role, password_hash: passwordHash, invited_by: invitedBy })
      .execute()
    const act = actOf(email, 'administrator.joined', email, { role, invitedBy })
    await record(tx, act, deps.clock.now())
    return { username: email, role }
  })
}

/** Removes invitations that have expired. */
export const pruneInvitations = (db: PlatformDb): Promise<unknown> =>
  db
    .deleteFrom('administrator_invitations')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()

const open = (db: PlatformDb) =>
  db
    .selectFrom('administrator_invitations')
    .selectAll()
    .where('expires_at', '>', sql<Date>`now()`)

async function requireOpen(db: PlatformDb, token: string): Promise<AdministratorInvitationRow> {
  const row = await open(db).where('token_hash', '=', tokenHash(token)).executeTakeFirst()
  if (!row) throw gone()
  return row
}

const gone = () =>
  new Problem(
    'invitation-gone',
    'This invitation was used, revoked or has expired. Ask an owner of the platform for a new one.',
  )

const isFirstOwner = ({ config }: Deps, email: string) => email === normalizedEmail(config.admin.username)

async function requireRoom(tx: PlatformDb): Promise<void> {
  const { count } = await tx
    .selectFrom('administrators')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= MOST - 1)
    throw new Problem('forbidden', `A platform has ${MOST} administrators at most. Remove one first.`)
}

const describe = (row: AdministratorInvitationRow): AdministratorInvitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})
