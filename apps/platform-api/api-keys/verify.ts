import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { findAnchor } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from '../ids.ts'
import { isApiKey } from './key.ts'

/**
 * The anchor and scopes of a key. Throws `unauthenticated`, the same for a key that is malformed, unknown, revoked, expired
 * or, where an anchor asks, of another workspace.
 */
export async function verifyKey({ database: { db } }: Deps, principal: Principals['internal'], key: string) {
  const row = isApiKey(key)
    ? await db
        .selectFrom('api_keys')
        .select(['id', 'anchor_id', 'scopes', 'expires_at'])
        .select(
          sql<boolean>`last_used_at is null or last_used_at < now() - interval '30 seconds'`.as('unmarked'),
        )
        .where('key_hash', '=', tokenHash(key))
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at is null or expires_at > now())`)
        .executeTakeFirst()
    : undefined
  const foreign = principal.kind === 'anchor' && principal.anchorId !== row?.anchor_id
  if (!row || foreign || (await findAnchor(db, row.anchor_id))?.status !== 'active') {
    throw new Problem('unauthenticated', 'This API key is not valid here.')
  }
  if (row.unmarked) {
    await db
      .updateTable('api_keys')
      .set({ last_used_at: sql<Date>`now()` })
      .where('id', '=', row.id)
      .execute()
  }
  const { id: keyId, anchor_id: anchorId, scopes, expires_at } = row
  return { keyId, anchorId, scopes, expiresAt: expires_at?.toISOString() ?? null }
}
