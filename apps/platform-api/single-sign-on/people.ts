import type { PlatformDb } from '../tables.ts'
import { type SignedIn, signOnRefused } from './openid.ts'

interface At {
  /** An organization's id, or `administrators`. */
  provider: string
  issuer: string
}

/**
 * The person whom a provider means: by its subject, which stays when an address changes hands; at the first sign-in by a
 * verified address. `findByEmail` gives a person whom it may sign in, or null. Throws `single-sign-on-refused`.
 */
export async function personBehind(
  tx: PlatformDb,
  { provider, issuer }: At,
  { subject, verifiedEmail }: SignedIn,
  findByEmail: (email: string) => Promise<string | null>,
  now: Date,
  taken: 'other-person' | 'other-administrator' = 'other-person',
): Promise<string> {
  const known = await tx
    .selectFrom('single_sign_on_people')
    .select('person')
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (known) return known.person
  if (verifiedEmail === null)
    throw signOnRefused('email-not-verified', 'The provider did not verify your email address.')
  const person = await findByEmail(verifiedEmail)
  if (person === null)
    throw signOnRefused('no-member', 'Nobody here has this email address. Ask an owner to add you first.')
  const made = await tx
    .insertInto('single_sign_on_people')
    .values({ provider, issuer, subject, person, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .returning('person')
    .executeTakeFirst()
  if (!made)
    throw signOnRefused(
      taken,
      `This address signs in by another account of the provider. An owner can remove and ${taken === 'other-person' ? 'add' : 'invite'} you again.`,
    )
  return made.person
}

/** Forgets which account of a provider a person has. */
export async function forgetPerson(tx: PlatformDb, provider: string, person: string): Promise<void> {
  await tx
    .deleteFrom('single_sign_on_people')
    .where('provider', '=', provider)
    .where('person', '=', person)
    .execute()
}

/** Forgets everyone whom a provider signed in. */
export async function forgetPeople(tx: PlatformDb, provider: string): Promise<void> {
  await tx.deleteFrom('single_sign_on_people').where('provider', '=', provider).execute()
}
