import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Insertable, type Kysely } from 'kysely'
import type { AnchorRow, SeenRow, Tables } from '../tables.ts'
import { columnsOf, type ReadOffer } from './conditions.ts'

export async function allAnchors(db: Kysely<Tables>): Promise<AnchorRow[]> {
  return db.selectFrom('anchors').selectAll().execute()
}

export async function anchorsById(db: Db<Tables>, ids: readonly string[]): Promise<AnchorRow[]> {
  if (ids.length === 0) return []
  return db.selectFrom('anchors').selectAll().where('id', 'in', ids).execute()
}

export type NewAnchor = Omit<
  Insertable<Tables['anchors']>,
  'treasury_capacity' | 'current_availability' | 'domain_verified' | 'external'
> & {
  treasury_capacity?: string
}

/** Inserts an anchor or updates all that its registration says. A new domain or key has to be proven again. */
export async function upsertAnchor(
  db: Db<Tables>,
  anchor: NewAnchor,
): Promise<{ row: AnchorRow; isNew: boolean }> {
  const { id, created_at, treasury_capacity, ...described } = anchor
  const { is_new, ...row } = await db
    .insertInto('anchors')
    .values({
      ...anchor,
      treasury_capacity: treasury_capacity ?? '0',
      current_availability: false,
      domain_verified: false,
    })
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(eb => ({
        ...described,
        ...(treasury_capacity === undefined ? {} : { treasury_capacity }),
        // A registration without a secret keeps the stored one.
        summary_secret: sql<Buffer | null>`coalesce(excluded.summary_secret, anchors.summary_secret)`,
        domain_verified: sql<boolean>`anchors.domain_verified and anchors.domain = excluded.domain
          and anchors.signing_key is not distinct from excluded.signing_key and anchors.assets = excluded.assets`,
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returningAll()
    // Only a row that this statement inserted has no older version.
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow()
  return { row, isNew: is_new }
}

/** Returns whether it was there. */
export async function deleteAnchor(db: Db<Tables>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('anchors').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Records whether the discovery file at the anchor's domain carries its keys. */
export async function updateDomainCheck(
  db: Db<Tables>,
  id: string,
  verified: boolean,
  at: Date,
): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ domain_verified: verified, domain_checked_at: at })
    .where('id', '=', id)
    .execute()
}

/** Records what a wallet saw of an anchor that differs from what it says. */
export async function updateSeen(db: Db<Tables>, id: string, seen: SeenRow, at: Date): Promise<void> {
  const stored = Object.keys(seen).length === 0 ? null : JSON.stringify(seen)
  await db.updateTable('anchors').set({ seen: stored, seen_at: at }).where('id', '=', id).execute()
}

export interface NewExternal {
  id: string
  domain: string
  signingKey: string
  offer: ReadOffer
}

/** How many external anchors there can be: in all, and of the site that the new one is of. */
export interface ExternalLimits {
  total: number
  perSite: number
  isOfSite(domain: string): boolean
}
export type RegistryFull = 'registry-full' | 'site-full'

/** Inserts an external anchor, or updates its key and what was read from it. Its domain was proven just now. */
export async function upsertExternal(
  db: Kysely<Tables>,
  { id, domain, signingKey, offer }: NewExternal,
  { total, perSite, isOfSite }: ExternalLimits,
  now: Date,
): Promise<{ row: AnchorRow; isNew: boolean } | RegistryFull> {
  const { name, assets, rails, regions, external, capacity, ...figures } = columnsOf(offer)
  const read = {
    ...figures,
    name: name ?? domain,
    assets: JSON.stringify(assets),
    rails: [...rails],
    regions: [...regions],
    external: JSON.stringify(external),
    treasury_capacity: capacity,
    signing_key: signingKey,
    domain_verified: true,
    domain_checked_at: now,
    updated_at: now,
  }
  return db.transaction().execute(async tx => {
    // One at a time, so that together they never exceed the maximum.
    await sql`select pg_advisory_xact_lock(727005)`.execute(tx)
    const known = await tx
      .selectFrom('anchors')
      .select(['id', 'domain'])
      .where('external', 'is not', null)
      .execute()
    const isNew = !known.some(row => row.id === id)
    if (isNew && known.length >= total) return 'registry-full'
    if (isNew && known.filter(row => isOfSite(row.domain)).length >= perSite) return 'site-full'
    const row = await tx
      .insertInto('anchors')
      .values({
        ...{
          id,
          slug: domain,
          domain,
          api_url: `https://${domain}`,
          status: 'active',
          settlement: 'unknown',
        },
        ...read,
        summary_secret: null,
        current_availability: false,
        last_checked_at: null,
        created_at: now,
      })
      .onConflict(conflict => conflict.column('id').doUpdateSet(read))
      .returningAll()
      .executeTakeFirstOrThrow()
    return { row, isNew }
  })
}

/** Removes external anchors that no wallet could use since a moment. */
export async function pruneExternal(db: Db<Tables>, unusableSince: Date): Promise<void> {
  await db
    .deleteFrom('anchors')
    .where('external', 'is not', null)
    .where('current_availability', '=', false)
    .where('last_checked_at', '<', unusableSince)
    .execute()
}
