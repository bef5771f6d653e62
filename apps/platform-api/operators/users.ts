import { exists } from '@windlass/service/postgres/exists.ts'
import { compiled } from '@windlass/service/postgres/compiled.ts'
import { escapeLike } from '../infrastructure/like.ts'
import { normalizedEmail } from '../mail/email.ts'
import { newId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'

const PERSON = ['id', 'email', 'full_name as fullName'] as const

/**
 * The user with this address, registered where there is none. One who exists keeps name and password.
 * `passwordHash` is Argon2id, or null for those who sign in by code alone; `confirmed` says that they have shown that the
 * address is theirs.
 */
export async function registerOperator(
  tx: PlatformDb,
  person: { email: string; fullName: string; passwordHash: string | null; confirmed: boolean },
  now: Date,
): Promise<{ id: string; email: string; fullName: string; isNew: boolean }> {
  const email = normalizedEmail(person.email)
  const confirmed_at = person.confirmed ? now : null
  const created = await tx
    .insertInto('users')
    .values({
      id: newId('usr'),
      email,
      full_name: person.fullName,
      password_hash: person.passwordHash,
      created_at: now,
      confirmed_at,
      invited_at: null,
    })
    .onConflict(conflict => conflict.column('email').doNothing())
    .returning(PERSON)
    .executeTakeFirst()
  if (created) return { ...created, isNew: true }
  const known = await tx
    .selectFrom('users')
    .select(PERSON)
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  if (confirmed_at)
    await tx
      .updateTable('users')
      .set({ confirmed_at })
      .where('id', '=', known.id)
      .where('confirmed_at', 'is', null)
      .execute()
  return { ...known, isNew: false }
}

const WEEK_MS = 7 * 86_400_000

/**
 * Whether a person may be mailed that they were added to a team, and notes it: who has not yet signed in hears it once a
 * week at most, so that nobody writes to strangers again and again under another organization's name.
 */
export async function mayInvite(tx: PlatformDb, userId: string, now: Date): Promise<boolean> {
  const invited = await tx
    .updateTable('users')
    .set({ invited_at: now })
    .where('id', '=', userId)
    .where(({ or, eb }) =>
      or([
        eb('confirmed_at', 'is not', null),
        eb('invited_at', 'is', null),
        eb('invited_at', '<=', new Date(now.getTime() - WEEK_MS)),
      ]),
    )
    .executeTakeFirst()
  return invited.numUpdatedRows > 0n
}

export const hasSignedIn = (db: PlatformDb, userId: string): Promise<boolean> =>
  exists(db.selectFrom('users').select('id').where('id', '=', userId).where('confirmed_at', 'is not', null))

/** Null for a user who has no password. */
export async function passwordHashOf(db: PlatformDb, userId: string): Promise<string | null> {
  const user = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return user.password_hash
}

const usersWithId = compiled((db: PlatformDb, { userId }: { userId: string }) =>
  db.selectFrom('users').select(PERSON).where('id', '=', userId),
)

/** The user with this id, or undefined. */
export const findUser = async (db: PlatformDb, userId: string) => (await usersWithId(db, { userId }))[0]

/** The user with this address, or undefined. */
export const findUserByEmail = (db: PlatformDb, email: string) =>
  db.selectFrom('users').select(PERSON).where('email', '=', normalizedEmail(email)).executeTakeFirst()

/** Users whose name or address contains the text, or whose id it is. */
export function searchUsers(db: PlatformDb, text: string, limit: number) {
  const part = `%${escapeLike(text)}%`
  return db
    .selectFrom('users')
    .select(PERSON)
    .where(({ or, eb }) =>
      or([eb('email', 'ilike', part), eb('full_name', 'ilike', part), eb('id', '=', text)]),
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Full names by id. */
export async function userNames(db: PlatformDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('users').select(PERSON).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, fullName }) => [id, fullName]))
}
