import type { Db } from '@windlass/service/database.ts'
import { sql, type Insertable, type Kysely } from 'kysely'
import type { AnchorRow, Tables } from '../tables.ts'

export async function allAnchors(db: Kysely<Tables>): Promise<AnchorRow[]> {
  return db.selectFrom('anchors').selectAll().execute()
}

export async function anchorsById(db: Db<Tables>, ids: readonly string[]): Promise<AnchorRow[]> {
  if (ids.length === 0) return []
  return db.selectFrom('anchors').selectAll().where('id', 'in', ids).execute()
}

export type NewAnchor = Omit<
  Insertable<Tables['anchors']>,
  'treasury_capacity' | 'current_availability' | 'domain_verified'
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
        // A registration without a secret keeps the one that is known.
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
