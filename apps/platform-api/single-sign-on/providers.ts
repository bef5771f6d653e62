import type { SingleSignOn } from '@windlass/contracts/platform/single-sign-on.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmail } from '../mail/email.ts'
import { newId } from '../ids.ts'
import { organizationOfSlug, ownerEmails, roleIn } from '../operators/organizations.ts'
import { findUser } from '../operators/users.ts'
import { endSessionsForOrganization } from '../sessions/sessions.ts'
import type { PlatformDb } from '../tables.ts'
import type { SingleSignOnProvidersTable } from '../sign-in-tables.ts'
import { signOnChangedEmail } from './emails.ts'
import { isConfigurationAddress } from './issuer.ts'
import { discover, type Provider, signOnRefused } from './openid.ts'
import { forgetPeople, forgetPerson } from './people.ts'

const contextOf = (organizationId: string) => `single-sign-on:${organizationId}`

export const sealedSignOnSecrets = sealedColumn({
  table: 'single_sign_on_providers',
  column: 'client_secret',
  key: ['organization_id'],
  contextOf: ({ organization_id }) => contextOf(organization_id),
})

type Row = Selectable<SingleSignOnProvidersTable>

const DAY_MS = 24 * 3_600_000

/** Until then a provider signs in the owner alone who set it: one owner could otherwise be every second person. */
export const opensAt = ({ set_at }: Row): Date => new Date(set_at.getTime() + DAY_MS)

/** Where members begin. */
export const signInPage = ({ urls }: Deps['config'], slug: string): string =>
  `${urls.founderConsole}/single-sign-on?organization=${encodeURIComponent(slug)}`

/** Where the provider sends people back: another address for each organization, so that a code tells whose it is. */
export const operatorCallback = ({ urls }: Deps['config'], organizationId: string): string =>
  `${urls.founderConsole}/single-sign-on/${encodeURIComponent(organizationId)}`

export const findProvider = (db: PlatformDb, organizationId: string): Promise<Row | undefined> =>
  db
    .selectFrom('single_sign_on_providers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

/** An organization's provider by its short name. Throws `single-sign-on-not-set`, also for one that is unknown. */
export async function providerOfSlug(db: PlatformDb, slug: string): Promise<Row> {
  const organizationId = await organizationOfSlug(db, slug.trim().toLowerCase())
  const row = organizationId === null ? undefined : await findProvider(db, organizationId)
  if (!row) throw notSet()
  return row
}

export const notSet = () =>
  new Problem('single-sign-on-not-set', 'There is no single sign-on under this name.')

/**
 * Holds a provider as it was read until the transaction ends. Throws `single-sign-on-refused` where it was changed or removed
 * meanwhile: it takes its time to answer.
 */
export async function holdProvider(tx: PlatformDb, row: Row): Promise<void> {
  const now = await tx
    .selectFrom('single_sign_on_providers')
    .select('client_secret')
    .where('organization_id', '=', row.organization_id)
    .forShare()
    .executeTakeFirst()
  // Sealed again by every change, so never the same.
  if (!now?.client_secret.equals(row.client_secret)) throw providerChanged()
}

export const providerChanged = () =>
  signOnRefused('attempt-over', 'The provider was changed meanwhile. Begin again.')

/** With the secret. */
export const openProvider = ({ sealer, config }: Deps, row: Row): Provider => ({
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: sealer.open(row.client_secret, contextOf(row.organization_id)),
  redirectUrl: operatorCallback(config, row.organization_id),
  trustsSecondFactor: row.trusts_second_factor,
})

export async function describeProvider(db: PlatformDb, row: Row): Promise<SingleSignOn> {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    trustsSecondFactor: row.trusts_second_factor,
    setBy: (await findUser(db, row.set_by))?.fullName ?? row.set_by,
    setAt: row.set_at.toISOString(),
    opensAt: opensAt(row).toISOString(),
  }
}

/** Throws `organization-not-found`, `forbidden`. */
export async function requireOwner(db: PlatformDb, userId: string, organizationId: string): Promise<void> {
  const role = await requireMemberOf(db, userId, organizationId)
  if (role !== 'owner') throw new Problem('forbidden', 'Only owners of the organization can do this.')
}

/** Throws `organization-not-found`. */
export async function requireMemberOf(db: PlatformDb, userId: string, organizationId: string) {
  const role = await roleIn(db, userId, organizationId)
  if (!role) throw new Problem('organization-not-found', 'You belong to no organization with this id.')
  return role
}

interface Change {
  organizationId: string
  by: string
}

interface Given {
  issuer: string
  clientId: string
  clientSecret?: string | undefined
  trustsSecondFactor?: boolean | undefined
}

/** Throws `validation-failed`, `organization-not-found`, `forbidden`. */
export async function setProvider(deps: Deps, change: Change, given: Given): Promise<SingleSignOn> {
  const { organizationId, by } = change
  const { db } = deps.database
  await requireOwner(db, by, organizationId)
  const clientSecret = given.clientSecret ?? (await keptSecret(deps, organizationId, given))
  const redirectUrl = operatorCallback(deps.config, organizationId)
  const { issuer, clientId, trustsSecondFactor = false } = given
  await requireIssuer(deps, { issuer, clientId, clientSecret, redirectUrl, trustsSecondFactor })
  return db.transaction().execute(async tx => {
    await requireOwner(tx, by, organizationId)
    const values = {
      issuer,
      client_id: clientId,
      client_secret: deps.sealer.seal(clientSecret, contextOf(organizationId)),
      trusts_second_factor: trustsSecondFactor,
      set_by: by,
      set_at: deps.clock.now(),
    }
    const row = await tx
      .insertInto('single_sign_on_providers')
      .values({ organization_id: organizationId, ...values })
      .onConflict(conflict => conflict.column('organization_id').doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow()
    await endWhatItOpened(tx, organizationId)
    await announce(deps, tx, change, { issuer, clientId, trustsSecondFactor })
    return describeProvider(tx, row)
  })
}

/** Throws `organization-not-found`, `forbidden`. */
export async function removeProvider(deps: Deps, change: Change): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await requireOwner(tx, change.by, change.organizationId)
    const removed = await tx
      .deleteFrom('single_sign_on_providers')
      .where('organization_id', '=', change.organizationId)
      .returning('issuer')
      .executeTakeFirst()
    if (!removed) return
    await endWhatItOpened(tx, change.organizationId)
    await announce(deps, tx, change, null)
  })
}

/** Ends what a member has by a provider who leaves the team, and the provider that they set: it says who everyone else is. */
export async function memberLeft(tx: PlatformDb, organizationId: string, userId: string): Promise<void> {
  await forgetPerson(tx, organizationId, userId)
  await endSessionsForOrganization(tx, organizationId, userId)
  const removed = await tx
    .deleteFrom('single_sign_on_providers')
    .where('organization_id', '=', organizationId)
    .where('set_by', '=', userId)
    .returning('issuer')
    .executeTakeFirst()
  if (removed) await endWhatItOpened(tx, organizationId)
}

async function endWhatItOpened(tx: PlatformDb, organizationId: string): Promise<void> {
  await forgetPeople(tx, organizationId)
  await endSessionsForOrganization(tx, organizationId)
}

async function keptSecret(deps: Deps, organizationId: string, { issuer, clientId }: Given): Promise<string> {
  const row = await findProvider(deps.database.db, organizationId)
  // Another issuer would be sent the secret of the first.
  if (row?.issuer !== issuer || row.client_id !== clientId) throw invalid('clientSecret', 'is required')
  return openProvider(deps, row).clientSecret
}

async function requireIssuer(deps: Deps, provider: Provider): Promise<void> {
  const { protocol = '' } = URL.canParse(provider.issuer) ? new URL(provider.issuer) : {}
  if (protocol !== 'https:' && !(deps.config.deployment.local && protocol === 'http:'))
    throw invalid('issuer', 'must be an https address')
  if (isConfigurationAddress(provider.issuer))
    throw invalid('issuer', 'must be the issuer, not the address of its configuration')
  try {
    await discover(deps, provider)
  } catch {
    throw invalid('issuer', 'has no OpenID configuration of this issuer that can be read')
  }
}

/** To the log, and to every owner. */
async function announce(
  deps: Deps,
  tx: PlatformDb,
  { organizationId, by }: Change,
  now: { issuer: string; clientId: string; trustsSecondFactor: boolean } | null,
): Promise<void> {
  const entry = {
    actor: `operator:${by}`,
    action: now ? 'single-sign-on.set' : 'single-sign-on.removed',
    subject: `organization:${organizationId}`,
    details: { ...now },
  }
  await record(tx, entry, deps.clock.now())
  const who = (await findUser(tx, by))?.email ?? by
  const email = signOnChangedEmail({ by: who, issuer: now?.issuer ?? null })
  for (const owner of await ownerEmails(tx, organizationId))
    await enqueueEmail(tx, deps.sealer, newId('mail'), owner, email)
}
