import type { PlatformDb } from '../database.ts'
import { newId } from '../ids.ts'

/** Addresses are compared in lower case, so that one person is one user. */
export const normalizedEmail = (email: string): string => email.trim().toLowerCase()

/**
 * The user with this address, registered where there is none. One who exists keeps name and password.
 * `passwordHash` is Argon2id, or null for those who sign in by code alone.
 */
export async function registerOperator(
  tx: PlatformDb,
  person: { email: string; fullName: string; passwordHash: string | null },
  now: Date,
): Promise<{ userId: string; isNew: boolean }> {
  const email = normalizedEmail(person.email)
  const created = await tx
    .insertInto('users')
    .values({
      id: newId('usr'),
      email,
      full_name: person.fullName,
      password_hash: person.passwordHash,
      created_at: now,
    })
    .onConflict(conflict => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (created) return { userId: created.id, isNew: true }
  const known = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
  return { userId: known.id, isNew: false }
}

/** A new organization with its owner. */
export async function foundOrganization(
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
