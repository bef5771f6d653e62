import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import { type AnchorSettings, plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { AnchorPlan, RailVersion } from '@windlass/contracts/internal/anchor-plan.ts'
import { brokenUnique } from '@windlass/service/postgres/database.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { type Selectable, sql } from 'kysely'
import type { EmailSender } from '../mail/email.ts'
import { escapeLike } from '../infrastructure/like.ts'
import type { NotifiedAnchor } from '../notifications/changes.ts'
import type { Deps } from '../deps.ts'
import type { AnchorsTable, PlatformDb } from '../tables.ts'
import { digestOf, storedSecret } from './proof-keys.ts'

export type AnchorRow = Selectable<AnchorsTable>

export function findAnchor(db: PlatformDb, id: string): Promise<AnchorRow | undefined> {
  return db.selectFrom('anchors').selectAll().where('id', '=', id).executeTakeFirst()
}

/** For notifications about the anchor. */
export const notifiedAnchor = ({ id, organization_id, home_domain }: AnchorRow): NotifiedAnchor => ({
  id,
  organizationId: organization_id,
  homeDomain: home_domain,
})

export function lockAnchor(tx: PlatformDb, id: string): Promise<AnchorRow | undefined> {
  return tx.selectFrom('anchors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** When an anchor's accounts were last found missing from the ledger. */
const lastLedgerReset = sql<Date | null>`(
  select max(at) from anchor_events where anchor_id = anchors.id and kind = 'ledger-reset')`.as(
  'ledger_reset_at',
)

/** The anchors that belong in the aggregator's registry. */
export function registeredAnchors(db: PlatformDb): Promise<AnchorRow[]> {
  return db.selectFrom('anchors').selectAll().where('status', 'in', ['active', 'suspended']).execute()
}

/** Anchors, the newest first. */
export function listAnchors(
  db: PlatformDb,
  status: AnchorStatus | undefined,
  start: PageStart | null,
  limit: number,
): Promise<(AnchorRow & { ledger_reset_at: Date | null })[]> {
  let query = db
    .selectFrom('anchors')
    .selectAll()
    .select(lastLedgerReset)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (status) query = query.where('status', '=', status)
  if (start) query = query.where(sql<boolean>`(created_at, id) < (${start.createdAt}, ${start.id})`)
  return query.execute()
}

/** The organizations' anchors but removed ones, the newest first. */
export async function anchorsOf(db: PlatformDb, organizationIds: readonly string[]) {
  if (organizationIds.length === 0) return []
  return db
    .selectFrom('anchors')
    .select(['id', 'organization_id', 'subdomain', 'status', 'home_domain as homeDomain'])
    .where('organization_id', 'in', organizationIds)
    .where('status', '!=', 'removed')
    .orderBy('created_at', 'desc')
    .execute()
}

interface AnchorName {
  subdomain: string
  homeDomain: string
  organizationId: string
}

/** Subdomain, home domain and organization by anchor. */
export async function anchorNames(db: PlatformDb, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, AnchorName>()
  const rows = await db
    .selectFrom('anchors')
    .select(['id', 'subdomain', 'home_domain as homeDomain', 'organization_id as organizationId'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...name }) => [id, name]))
}

interface Draft {
  plan: AnchorPlan
  applicationId: string
  organizationId: string
}

/** Creates a draft, which takes the subdomain permanently. Breaks `anchors_subdomain_key` where it is taken. */
export async function draftAnchor(tx: PlatformDb, draft: Draft, now: Date): Promise<void> {
  const { plan, applicationId, organizationId } = draft
  await tx
    .insertInto('anchors')
    .values({
      id: plan.anchorId,
      organization_id: organizationId,
      application_id: applicationId,
      subdomain: plan.subdomain,
      home_domain: plan.homeDomain,
      status: 'draft',
      plan: JSON.stringify(plan),
      created_at: now,
    })
    .execute()
}

export async function isSubdomainTaken(db: PlatformDb, subdomain: string): Promise<boolean> {
  return exists(db.selectFrom('anchors').select('id').where('subdomain', '=', subdomain))
}

export async function anchorPlan(db: PlatformDb, anchorId: string): Promise<AnchorPlan> {
  const row = await db
    .selectFrom('anchors')
    .select('plan')
    .where('id', '=', anchorId)
    .executeTakeFirstOrThrow()
  return row.plan
}

/** Adds other credentials of a rail, and the rail where the anchor does not have it. */
export async function setRailVersion(tx: PlatformDb, anchorId: string, version: RailVersion): Promise<void> {
  const { plan } = (await lockAnchor(tx, anchorId)) ?? { plan: await anchorPlan(tx, anchorId) }
  const changed: AnchorPlan = {
    ...plan,
    rails: [...new Set([...plan.rails, version.rail])],
    railVersions: [...(plan.railVersions ?? []), version],
  }
  await tx
    .updateTable('anchors')
    .set({ plan: JSON.stringify(changed) })
    .where('id', '=', anchorId)
    .execute()
}

/** What counts for the anchor's customers, as far as the platform knows. */
export const settingsOf = ({ settings, plan }: Pick<AnchorRow, 'settings' | 'plan'>): AnchorSettings =>
  settings ?? plannedSettings(plan)

/** As whom emails to the anchor's customers are written. */
export function senderOf(anchor: AnchorRow): EmailSender {
  const { color, logo, supportEmail } = settingsOf(anchor).branding
  const host = anchor.home_domain.replace(/:\d+$/, '')
  const scheme = host === 'localhost' || host.endsWith('.localhost') ? 'http' : 'https'
  return {
    name: anchor.plan.organizationName,
    color,
    logoUrl: logo && `${scheme}://${anchor.home_domain}/interactive/logos/${logo}`,
    supportEmail: supportEmail ?? anchor.plan.businessEmail,
  }
}

/** Keeps what an anchor's server reported, unless it is older than what is known. False: it is. */
export async function storeSettings(
  tx: PlatformDb,
  anchorId: string,
  version: number,
  settings: AnchorSettings,
): Promise<boolean> {
  const stored = await tx
    .updateTable('anchors')
    .set({ settings: JSON.stringify(settings), settings_version: version })
    .where('id', '=', anchorId)
    .where('settings_version', '<', String(version))
    .executeTakeFirst()
  return stored.numUpdatedRows === 1n
}

/** Accepts an anchor's own secret at the internal realm, given as its SHA-256 in hex. */
export async function setServiceSecret(
  { database: { db }, sealer }: Pick<Deps, 'database' | 'sealer'>,
  anchorId: string,
  hash: string,
): Promise<void> {
  await db
    .updateTable('anchors')
    .set(storedSecret(sealer, anchorId, Buffer.from(hash, 'hex')))
    .where('id', '=', anchorId)
    .execute()
    .catch(refuseTakenSecret)
}

/** Two anchors with one secret could not be distinguished. Throws `validation-failed`. */
export function refuseTakenSecret(error: unknown): never {
  if (brokenUnique(error) !== 'anchors_service_secret_digest_key') throw error
  throw invalid('serviceSecretHash', 'belongs to another anchor')
}

/** The active anchor of a home domain with its SEP-10 key; null where there is none. */
export async function activeSigner(
  db: PlatformDb,
  homeDomain: string,
): Promise<{ id: string; signingKey: string } | null> {
  const row = await db
    .selectFrom('anchors')
    .select(['id', 'signing_key as signingKey'])
    .where('home_domain', '=', homeDomain)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return row?.signingKey ? { id: row.id, signingKey: row.signingKey } : null
}

/** The id of the anchor that a service secret belongs to, unless it is suspended or removed. */
export async function anchorOfSecret(db: PlatformDb, hash: Buffer): Promise<string | null> {
  const row = await db
    .selectFrom('anchors')
    .select('id')
    .where(({ or, eb }) =>
      or([eb('service_secret_digest', '=', digestOf(hash)), eb('service_secret_hash', '=', hash)]),
    )
    .where('status', 'not in', ['suspended', 'removed'])
    .executeTakeFirst()
  return row?.id ?? null
}

export async function countByStatus(db: PlatformDb): Promise<{ status: AnchorStatus; count: number }[]> {
  return db
    .selectFrom('anchors')
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .groupBy('status')
    .orderBy('status')
    .execute()
}

/** Active anchors, the newest first; at most 1,000. */
export const listActive = (db: PlatformDb): Promise<AnchorRow[]> =>
  db
    .selectFrom('anchors')
    .selectAll()
    .where('status', '=', 'active')
    .orderBy('created_at', 'desc')
    .limit(1_000)
    .execute()

/** Anchors whose domain or asset code contains the text, or whose id or account it is, the newest first. */
export function searchAnchors(db: PlatformDb, text: string, limit: number) {
  const part = `%${escapeLike(text)}%`
  return db
    .selectFrom('anchors')
    .select(['id', 'home_domain as label'])
    .where(
      sql<boolean>`(home_domain ilike ${part} or plan -> 'asset' ->> 'code' ilike ${part}
        or plan ->> 'organizationName' ilike ${part} or ${text} in (id, issuer, distribution, signing_key))`,
    )
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Whether an anchor pays, issues or signs with the account. */
export async function isAnchorAccount(db: PlatformDb, account: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('anchors')
      .select('id')
      .where(({ or, eb }) =>
        or([eb('issuer', '=', account), eb('distribution', '=', account), eb('signing_key', '=', account)]),
      ),
  )
}
