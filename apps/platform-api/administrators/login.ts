import type { Principals, SignInStep } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { FastifyRequest } from 'fastify'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { hashPassword, isPassword } from '../infrastructure/passwords.ts'
import { normalizedEmail } from '../mail/email.ts'
import { keepLanguageOf } from '../mail/languages.ts'
import { administrator, hasSecondFactor, nextStep, personOf } from '../second-factors/factors.ts'
import { requireSession } from '../sessions/guard.ts'
import { confirmSession, openSession } from '../sessions/sessions.ts'
import type { PlatformDb } from '../tables.ts'
import { findAccount, roleOf } from './accounts.ts'

export const ADMIN_SESSION_SECONDS = 8 * 60 * 60
const ADMIN_IDLE_SECONDS = 60 * 60

interface Credentials {
  name: string
  password: string
}

/**
 * `ns_admin`: a live token whose session has not ended, of someone who is an administrator still. Throws
 * `unauthenticated`.
 */
export function adminGuard(deps: Deps): Guard<'admin'> {
  return async request => {
    const { subject, sessionId } = await requireSession(deps, 'admin', request)
    const role = await roleOf(deps, deps.database.db, subject)
    if (!role) throw new Problem('unauthenticated', 'Sign in again.')
    return { username: subject, role, sessionId }
  }
}

/**
 * Opens an administrator's session and returns its token, and what the sign-in still waits for. Throws `login-failed`,
 * after the same work in each case.
 */
export async function login(
  deps: Deps,
  given: Credentials,
  request: FastifyRequest,
): Promise<{ username: string; token: string; awaits: SignInStep | null }> {
  const proven = await checkPassword(deps, given)
  if (!proven) throw loginFailed(request)
  const subject = proven.username
  const { sessionId, awaits } = await deps.database.db.transaction().execute(async tx => {
    if (!(await isCurrent(tx, proven))) throw loginFailed(request)
    return openAdministratorSession(deps, tx, subject, request)
  })
  return { username: subject, token: tokenOf(deps, subject, sessionId), awaits }
}

interface SignOn {
  /** When a second factor was given that counts as ours; long ago where none was. */
  confirmedAt: Date
  hasSecondFactor: boolean
}

/** Signs in an administrator whom the platform's provider sent back. */
export async function signInByProvider(
  deps: Deps,
  tx: PlatformDb,
  subject: string,
  request: FastifyRequest,
  by: SignOn,
): Promise<{ username: string; token: string; awaits: SignInStep | null }> {
  const { sessionId, awaits } = await openAdministratorSession(deps, tx, subject, request, by)
  return { username: subject, token: tokenOf(deps, subject, sessionId), awaits }
}

const tokenOf = ({ tokens }: Deps, subject: string, sessionId: string): string =>
  tokens.sign('admin', { subject, sessionId }, ADMIN_SESSION_SECONDS)

async function openAdministratorSession(
  deps: Deps,
  tx: PlatformDb,
  subject: string,
  request: FastifyRequest,
  by?: SignOn,
): Promise<{ sessionId: string; awaits: SignInStep | null }> {
  const awaits = by?.hasSecondFactor ? null : await nextStep(deps, tx, administrator(subject))
  const session = {
    realm: 'admin' as const,
    subject,
    lifetime: ADMIN_SESSION_SECONDS,
    idle: ADMIN_IDLE_SECONDS,
    awaits,
    ...(by && { confirmedAt: by.confirmedAt }),
  }
  const sessionId = await openSession(tx, session, request)
  await keepLanguageOf(tx, subject, request.headers)
  const details = {
    address: request.clientAddress,
    ...(awaits && { awaiting: awaits }),
    ...(by && { by: 'single-sign-on' }),
  }
  await record(
    tx,
    { actor: `admin:${subject}`, action: 'admin.signed-in', subject: `session:${sessionId}`, details },
    deps.clock.now(),
  )
  return { sessionId, awaits }
}

interface Proven {
  username: string
  /** Null for the owner whom the settings name. */
  passwordHash: string | null
}

/**
 * The administrator with these credentials. Does the same work for every name and password, so that the time it takes
 * does not show which names exist.
 */
async function checkPassword({ config, database }: Deps, given: Credentials): Promise<Proven | null> {
  const isFirstOwner = sameText(given.name, config.admin.username)
  const isFirstOwners = sameText(given.password, config.admin.password)
  const account = await findAccount(database.db, normalizedEmail(given.name))
  nobodysHash ??= hashPassword(randomBytes(32).toString('base64'))
  const isAccounts = await isPassword(given.password, account?.password_hash ?? (await nobodysHash))
  if (isFirstOwner) return isFirstOwners ? { username: config.admin.username, passwordHash: null } : null
  if (!account || !isAccounts) return null
  return { username: account.email, passwordHash: account.password_hash }
}

let nobodysHash: Promise<string> | undefined

/** Whether a password still counts: its owner may be removed, or change it, meanwhile. They wait for the sign-in then. */
async function isCurrent(tx: PlatformDb, { username, passwordHash }: Proven): Promise<boolean> {
  if (passwordHash === null) return true
  return exists(
    tx
      .selectFrom('administrators')
      .select('id')
      .where('email', '=', username)
      .where('password_hash', '=', passwordHash)
      .forShare(),
  )
}

function loginFailed(request: FastifyRequest): Problem {
  request.log.warn({ address: request.clientAddress }, 'an administrator could not sign in')
  return new Problem('login-failed', 'The user name or password is wrong.')
}

/**
 * Accepts the password as confirmation that the administrator is present; those with a second factor confirm with that.
 * Throws `confirmation-refused`.
 */
export async function confirmAdmin(deps: Deps, admin: Principals['admin'], password: string): Promise<void> {
  const { db } = deps.database
  const proven = await checkPassword(deps, { name: admin.username, password })
  if (!proven || (await hasSecondFactor(db, personOf(admin)))) {
    throw new Problem(
      'confirmation-refused',
      'The password is wrong, or your account has a second factor: use that.',
    )
  }
  await confirmSession(db, admin.sessionId)
}

// Under a key of the moment, texts of any length compare in the same time.
const key = randomBytes(32)
const digest = (text: string) => createHmac('sha256', key).update(text).digest()
const sameText = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
