import type { FastifyRequest } from 'fastify'
import { holdAccount } from '../administrators/accounts.ts'
import { ADMIN_SESSION_SECONDS, signInByProvider } from '../administrators/login.ts'
import type { Deps } from '../deps.ts'
import { normalizedEmail } from '../mail/email.ts'
import { holdTeam, roleIn } from '../operators/organizations.ts'
import { openOperatorSession } from '../operators/sign-in.ts'
import { findUser, findUserByEmail } from '../operators/users.ts'
import { ADMINISTRATORS, claim } from './attempts.ts'
import { exchange, type Provider, signOnRefused } from './openid.ts'
import { personBehind } from './people.ts'
import { SESSION_COOKIES, sessionCookie } from '../sessions/cookies.ts'
import { ORGANIZATION_SECONDS } from '../sessions/refresh-tokens.ts'
import type { PlatformDb } from '../tables.ts'
import { findProvider, holdProvider, notSet, openProvider, opensAt, providerChanged } from './providers.ts'

interface Back {
  key: string
  query: string
}

/** Opens a session for one organization. Throws `single-sign-on-not-set`, `single-sign-on-refused`. */
export async function finishOperator(
  deps: Deps,
  { organizationId, ...back }: Back & { organizationId: string },
  request: FastifyRequest,
) {
  // No organization has the id `administrators`.
  const attempt = await claim(deps, organizationId, back)
  const row = await findProvider(deps.database.db, organizationId)
  if (!row) throw notSet()
  requireSame(attempt, openProvider(deps, row))
  const said = await exchange(deps, openProvider(deps, row), back.query, attempt)
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    await holdTeam(tx, organizationId)
    await holdProvider(tx, row)
    // An owner who was demoted would sign in as the owners.
    if ((await roleIn(tx, row.set_by, organizationId)) !== 'owner') throw notSet()
    const memberWith = async (email: string) => {
      const user = await findUserByEmail(tx, email)
      return user && (await roleIn(tx, user.id, organizationId)) ? user.id : null
    }
    const userId = await personBehind(
      tx,
      { provider: organizationId, issuer: row.issuer },
      said,
      memberWith,
      now,
    )
    const user = await findUser(tx, userId)
    if (!user || !(await roleIn(tx, userId, organizationId)))
      throw signOnRefused('no-member', 'You are no member of this organization. Ask an owner to add you.')
    if (now < opensAt(row) && userId !== row.set_by)
      throw signOnRefused(
        'opens-later',
        `This single sign-on is new. It is open to you from ${opensAt(row).toISOString()} on.`,
      )
    const proven = row.trusts_second_factor ? said.secondFactorAt : null
    return openOperatorSession(deps, tx, { ...user, isNew: false }, request, {
      organizationId,
      confirmedAt: proven ?? NEVER,
      lifetime: ORGANIZATION_SECONDS,
      hasSecondFactor: proven !== null,
    })
  })
}

/** Throws as {@link finishOperator}. */
export async function finishAdministrator(deps: Deps, back: Back, request: FastifyRequest) {
  const attempt = await claim(deps, ADMINISTRATORS, back)
  const provider = administratorsProvider(deps)
  requireSame(attempt, provider)
  const said = await exchange(deps, provider, back.query, attempt)
  const { username, token, awaits } = await deps.database.db.transaction().execute(async tx => {
    const at = { provider: ADMINISTRATORS, issuer: provider.issuer }
    const accountWith = (email: string) => accountOf(deps, tx, email)
    const now = deps.clock.now()
    const found = await personBehind(tx, at, said, accountWith, now, 'other-administrator')
    const account = await accountOf(deps, tx, found)
    if (!account) throw signOnRefused('no-member', 'You do not administer this platform.')
    const proven = provider.trustsSecondFactor ? said.secondFactorAt : null
    const by = { confirmedAt: proven ?? NEVER, hasSecondFactor: proven !== null }
    return signInByProvider(deps, tx, account, request, by)
  })
  const { cookieSecure } = deps.config.web
  return {
    signedIn: { ok: true, username, ...(awaits && { awaiting: awaits }) },
    cookie: sessionCookie(SESSION_COOKIES.admin, token, ADMIN_SESSION_SECONDS, request, cookieSecure),
  }
}

/** Null for the owner whom the settings name: the way in without the provider stays apart from it. */
async function accountOf({ config }: Deps, tx: PlatformDb, email: string): Promise<string | null> {
  const username = normalizedEmail(email)
  return username === config.admin.username ? null : ((await holdAccount(tx, username))?.email ?? null)
}

/** That of the settings. Throws `single-sign-on-not-set`. */
export function administratorsProvider({ config }: Deps): Provider {
  const { adminSignOn, urls } = config
  if (!adminSignOn) throw notSet()
  return { ...adminSignOn, redirectUrl: `${urls.adminConsole}/single-sign-on` }
}

/** What our own confirmation asks for is not given by the provider. */
const NEVER = new Date(0)

function requireSame(
  attempt: { issuer: string; clientId: string },
  { issuer, clientId }: { issuer: string; clientId: string },
): void {
  if (attempt.issuer !== issuer || attempt.clientId !== clientId) throw providerChanged()
}
