import type { Principals, SignInStep } from '@windlass/contracts/realm.ts'
import type { SecondFactorMethod, SecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { isEmail } from '@windlass/service/http/validation.ts'
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId, tokenHash } from '../ids.ts'
import { enqueueEmail, type LocalizedEmail, normalizedEmail } from '../mail/email.ts'
import {
  completeSignIn,
  endOtherSessions,
  endSessionsOf,
  requireConfirmed,
  requireOpen,
} from '../sessions/sessions.ts'
import type { PlatformDb } from '../tables.ts'
import type { FactorRealm } from '../sign-in-tables.ts'
import { addedEmail, factorName, removedEmail, resetEmail, type SecondFactor } from './emails.ts'
import { base32 } from './totp.ts'

/** Who has second factors. */
export interface Person {
  realm: FactorRealm
  /** An operator's id, or an administrator's user name. */
  subject: string
  /** Null for an administrator whose user name is no address. */
  email: string | null
}

export const administrator = (username: string): Person => ({
  realm: 'admin',
  subject: username,
  email: isEmail(username) ? normalizedEmail(username) : null,
})

export const personOf = (principal: Principals['operator'] | Principals['admin']): Person =>
  'userId' in principal
    ? { realm: 'operator', subject: principal.userId, email: principal.email }
    : administrator(principal.username)

const actorOf = ({ realm, subject }: Person) => `${realm}:${subject}`

/** Which second factors the person has; recovery codes only where one is unused. */
export async function methodsOf(db: PlatformDb, { realm, subject }: Person): Promise<SecondFactorMethod[]> {
  const mine = sql`realm = ${realm} and subject = ${subject}`
  const { rows } = await sql<{ passkey: boolean; app: boolean; code: boolean }>`select
    exists (select from passkeys where ${mine}) as passkey,
    exists (select from authenticator_apps where ${mine} and confirmed_at is not null) as app,
    exists (select from recovery_codes where ${mine} and used_at is null) as code`.execute(db)
  const [has] = rows
  const methods: [SecondFactorMethod, boolean | undefined][] = [
    ['passkey', has?.passkey],
    ['authenticator-app', has?.app],
    ['recovery-code', has?.code],
  ]
  return methods.filter(([, had]) => had).map(([method]) => method)
}

export const hasSecondFactor = async (db: PlatformDb, person: Person): Promise<boolean> =>
  (await methodsOf(db, person)).some(method => method !== 'recovery-code')

/** Who of a realm has a second factor. */
export async function subjectsWithSecondFactor(
  db: PlatformDb,
  realm: FactorRealm,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ subject: string }>`
    select subject from passkeys where realm = ${realm}
    union select subject from authenticator_apps where realm = ${realm} and confirmed_at is not null`.execute(
    db,
  )
  return new Set(rows.map(({ subject }) => subject))
}

const isRequired = ({ config }: Pick<Deps, 'config'>, { realm }: Person): boolean =>
  realm === 'admin' && config.adminSecondFactor === 'required'

/** What a sign-in waits for after its first factor; null where it is complete. */
export async function nextStep(
  deps: Pick<Deps, 'config'>,
  tx: PlatformDb,
  person: Person,
): Promise<SignInStep | null> {
  if (await hasSecondFactor(tx, person)) return 'second-factor'
  return isRequired(deps, person) ? 'enrolment' : null
}

/**
 * Before a dangerous act of an administrator. Throws `confirmation-needed` where a second factor was proved more than 15
 * minutes ago: their own, or the provider's, which is the only one that an administrator may have who needs one.
 */
export async function requireConfirmedAdmin(deps: Deps, admin: Principals['admin']): Promise<void> {
  const { db } = deps.database
  const person = personOf(admin)
  if (isRequired(deps, person) || (await hasSecondFactor(db, person)))
    await requireConfirmed(db, admin.sessionId)
}

export async function listSecondFactors(
  { database: { db }, config }: Deps,
  person: Person,
): Promise<SecondFactors> {
  const { realm, subject } = person
  const passkeys = await db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const app = await db
    .selectFrom('authenticator_apps')
    .select(['created_at', 'last_used_at'])
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return {
    required: isRequired({ config }, person),
    passkeys: passkeys.map(row => ({ id: row.id, name: row.name, ...timesOf(row) })),
    authenticatorApp: app ? timesOf(app) : null,
    recoveryCodesLeft: await recoveryCodesLeft(db, person),
  }
}

const timesOf = (row: { created_at: Date; last_used_at: Date | null }) => ({
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
})

/** Changes of one person's second factors wait for each other. */
export async function lockPerson(tx: PlatformDb, { realm, subject }: Person): Promise<void> {
  const key = `second-factor:${realm}:${subject}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
}

/**
 * The end of adding a second factor, in its transaction. The first one completes the sign-in that waited for it, ends
 * the person's other sessions, which were opened without one, and returns recovery codes.
 */
export async function secondFactorAdded(
  deps: Deps,
  tx: PlatformDb,
  person: Person,
  sessionId: string,
  added: { factor: SecondFactor; isFirst: boolean; details?: Record<string, unknown> },
): Promise<{ recoveryCodes?: string[] }> {
  await requireOpen(tx, sessionId, added.isFirst ? 'enrolment' : null)
  const recoveryCodes = added.isFirst ? await createRecoveryCodes(tx, person) : undefined
  if (added.isFirst) {
    await completeSignIn(tx, sessionId)
    await endOtherSessions(tx, person.realm, person.subject, sessionId)
  }
  await announce(deps, tx, person, addedEmail(added))
  const details = { what: factorName(added.factor), ...added.details }
  await recordFactor(deps, tx, person, 'second-factor.added', details)
  return recoveryCodes ? { recoveryCodes } : {}
}

/**
 * Removes a second factor. `remove` returns it, or null where there is none. Recovery codes end with the last
 * one. Throws `second-factor-not-found`, `second-factor-required`.
 */
export async function removeSecondFactor(
  deps: Deps,
  person: Person,
  remove: (tx: PlatformDb) => Promise<SecondFactor | null>,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockPerson(tx, person)
    const factor = await remove(tx)
    if (factor === null) throw new Problem('second-factor-not-found', 'You have no such second factor.')
    const isLast = !(await hasSecondFactor(tx, person))
    if (isLast && isRequired(deps, person)) {
      const detail = 'Administrators need a second factor here. Add another one first, then remove this one.'
      throw new Problem('second-factor-required', detail)
    }
    if (isLast) await forgetFactors(tx, person)
    await announce(deps, tx, person, removedEmail({ factor, isLast }))
    await recordFactor(deps, tx, person, 'second-factor.removed', { what: factorName(factor) })
  })
}

/** For a person who lost every second factor: removes all of them and ends the sessions. Throws `second-factor-not-found`. */
export async function resetSecondFactors(
  deps: Pick<Deps, 'database' | 'sealer' | 'clock'>,
  person: Person,
  actor: string,
  reason?: string,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await lockPerson(tx, person)
    if (!(await hasSecondFactor(tx, person))) {
      throw new Problem('second-factor-not-found', 'This person has no second factor.')
    }
    await forgetFactors(tx, person)
    await endSessionsOf(tx, person.realm, person.subject)
    await announce(deps, tx, person, resetEmail({}))
    const details = reason === undefined ? {} : { reason }
    const act = { actor, action: 'second-factor.reset', subject: actorOf(person), details }
    await record(tx, act, deps.clock.now())
  })
}

/** Removes every factor and code of a person, with no email: the account itself goes. */
export async function forgetFactors(tx: PlatformDb, { realm, subject }: Person): Promise<void> {
  for (const table of ['passkeys', 'authenticator_apps', 'recovery_codes'] as const) {
    await tx.deleteFrom(table).where('realm', '=', realm).where('subject', '=', subject).execute()
  }
}

/** Emails the person what changed about their account, where they have an address. */
export async function announce(
  deps: Pick<Deps, 'sealer'>,
  tx: PlatformDb,
  { email }: Person,
  change: LocalizedEmail,
): Promise<void> {
  if (email !== null) await enqueueEmail(tx, deps.sealer, newId('mail'), email, change)
}

export const recordFactor = (
  deps: Deps,
  tx: PlatformDb,
  person: Person,
  action: string,
  details: Record<string, unknown> = {},
): Promise<unknown> =>
  record(tx, { actor: actorOf(person), action, subject: actorOf(person), details }, deps.clock.now())

const RECOVERY_CODES = 10

/** New codes in place of all earlier ones. */
export async function createRecoveryCodes(tx: PlatformDb, { realm, subject }: Person): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(10)).toLowerCase())
  await tx.deleteFrom('recovery_codes').where('realm', '=', realm).where('subject', '=', subject).execute()
  await tx
    .insertInto('recovery_codes')
    .values(codes.map(code => ({ realm, subject, code_hash: tokenHash(code), used_at: null })))
    .execute()
  return codes.map(code => (code.match(/.{4}/g) ?? []).join('-'))
}

/** Uses a recovery code. Where many bring the same one at once, one succeeds. */
export async function useRecoveryCode(
  tx: PlatformDb,
  { realm, subject }: Person,
  typed: string,
): Promise<boolean> {
  const code = typed.replace(/[\s-]/g, '').toLowerCase()
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('code_hash', '=', tokenHash(code))
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function recoveryCodesLeft(db: PlatformDb, { realm, subject }: Person): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('left'))
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return left
}
