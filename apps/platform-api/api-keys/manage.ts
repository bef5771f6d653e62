import type { ApiKey, ApiKeyScope, NewApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { canMoveMoney, seesClosed, defaultScopes } from '@windlass/contracts/realm.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { type Selectable, sql } from 'kysely'
import { anchorsOf, lockAnchor } from '../anchors/anchors.ts'
import { requireManager, requireMember, requireSettled } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId, tokenHash } from '../ids.ts'
import type { ApiKeysTable, PlatformDb } from '../tables.ts'
import { newApiKey, prefixOf } from './key.ts'

const DAY_SECONDS = 24 * 3600
/** For one anchor, of those that are neither revoked nor expired. */
const MAX_KEYS = 100

interface Wish {
  name: string
  scopes?: ApiKeyScope[]
  expiresAt?: string
}

/** A page of the workspace's keys, newest first. Throws `anchor-not-found`. */
export async function listKeys(
  { database: { db } }: Deps,
  userId: string,
  anchorId: string,
  start: PageStart | null,
  limit: number,
): Promise<{ id: string; createdAt: Date; key: ApiKey }[]> {
  await requireMember(db, userId, anchorId)
  let query = db
    .selectFrom('api_keys')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (start) query = query.where(sql<boolean>`(created_at, id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(row => ({ id: row.id, createdAt: row.created_at, key: asApiKey(row) }))
}

/** Keys that can be used, the oldest first, with who made them. */
export async function keysInForce(db: PlatformDb, anchorId: string, now: Date) {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at')
    .execute()
  return rows.map(row => {
    const { id, name, scopes, createdAt, expiresAt, lastUsedAt } = asApiKey(row)
    return { id, name, scopes, createdBy: row.created_by, createdAt, expiresAt, lastUsedAt }
  })
}

/** Throws `anchor-not-found`, `forbidden`, `second-person-needed`, `validation-failed`. */
export async function createKey(
  deps: Deps,
  userId: string,
  anchorId: string,
  wish: Wish,
): Promise<NewApiKey> {
  const now = deps.clock.now()
  const expiresAt = wish.expiresAt ? new Date(wish.expiresAt) : null
  if (expiresAt && expiresAt <= now) throw invalid('expiresAt', 'must be in the future')
  const scopes = wish.scopes ?? [...defaultScopes]
  return deps.database.db.transaction().execute(async tx => {
    await requireGranting(tx, userId, anchorId, scopes, now)
    await requireRoom(tx, anchorId, now)
    const made = await insertKey(tx, deps, {
      anchorId,
      userId,
      name: wish.name,
      scopes,
      expiresAt,
    })
    await recordKey(
      tx,
      userId,
      anchorId,
      'api-key.made',
      { keyId: made.id, name: made.name, scopes: made.scopes },
      now,
    )
    return made
  })
}

/** A key acts without a person: who lets it move money could do so themselves. */
async function requireGranting(
  tx: PlatformDb,
  userId: string,
  anchorId: string,
  scopes: readonly ApiKeyScope[],
  now: Date,
): Promise<void> {
  await requireManager(tx, userId, anchorId)
  if (canMoveMoney(scopes) || seesClosed(scopes)) await requireSettled(tx, userId, anchorId, now)
}

/** Throws `anchor-not-found`, `forbidden`, `api-key-not-found`; revoking twice does nothing more. */
export async function revokeKey(deps: Deps, userId: string, anchorId: string, id: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.db.transaction().execute(async tx => {
    await requireManager(tx, userId, anchorId)
    const key = await lockKey(tx, anchorId, id)
    if (key.revoked_at) return
    await tx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute()
    await recordKey(tx, userId, anchorId, 'api-key.revoked', { keyId: id, name: key.name }, now)
  })
}

/** Creates a replacement with the same name, scopes and lifetime; the older key ends after the overlap. Throws as {@link revokeKey}, and `second-person-needed`. */
export async function rollKey(
  deps: Deps,
  userId: string,
  anchorId: string,
  id: string,
  overlapSeconds = DAY_SECONDS,
): Promise<NewApiKey> {
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    await requireManager(tx, userId, anchorId)
    const key = await lockKey(tx, anchorId, id)
    const over = key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now)
    if (over) throw new Problem('api-key-not-found', 'This key has expired. Create a new one.')
    await requireGranting(tx, userId, anchorId, key.scopes, now)
    const end = new Date(now.getTime() + overlapSeconds * 1000)
    const endsAt = key.expires_at && key.expires_at < end ? key.expires_at : end
    await tx.updateTable('api_keys').set({ expires_at: endsAt }).where('id', '=', id).execute()
    await requireRoom(tx, anchorId, now)
    const { name, scopes } = key
    const expiresAt = key.expires_at && new Date(now.getTime() + lifetimeOf(key.created_at, key.expires_at))
    const made = await insertKey(tx, deps, { anchorId, userId, name, scopes, expiresAt })
    await recordKey(
      tx,
      userId,
      anchorId,
      'api-key.rolled',
      { keyId: id, successor: made.id, endsAt: endsAt.toISOString() },
      now,
    )
    return made
  })
}

const lifetimeOf = (createdAt: Date, expiresAt: Date) => expiresAt.getTime() - createdAt.getTime()

/**
 * Ends the keys that a user created for an organization's anchors: a key acts for who may create it, and no longer. Returns
 * the names of those that could be used until now.
 */
export async function revokeKeysOf(
  tx: PlatformDb,
  { by, organizationId, userId }: { by: string; organizationId: string; userId: string },
  now: Date,
): Promise<string[]> {
  const anchors = await anchorsOf(tx, [organizationId])
  if (anchors.length === 0) return []
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .where(
      'anchor_id',
      'in',
      anchors.map(({ id }) => id),
    )
    .returning(['id', 'anchor_id', 'name', 'expires_at'])
    .execute()
  const usable = revoked.filter(({ expires_at: end }) => end === null || end > now)
  for (const { id, anchor_id: anchorId, name } of usable)
    await recordKey(tx, by, anchorId, 'api-key.revoked', { keyId: id, name, createdBy: userId }, now)
  return usable.map(({ name }) => name)
}

/** Throws `validation-failed` where the anchor has as many usable keys as it may have. Others who add one wait. */
async function requireRoom(tx: PlatformDb, anchorId: string, now: Date): Promise<void> {
  await lockAnchor(tx, anchorId)
  const { count } = await tx
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('anchor_id', '=', anchorId)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  if (Number(count) < MAX_KEYS) return
  throw invalid('name', `cannot be added: an anchor can have at most ${MAX_KEYS} keys. Revoke one first`)
}

interface KeyToInsert {
  anchorId: string
  userId: string
  name: string
  scopes: ApiKeyScope[]
  expiresAt: Date | null
}

async function insertKey(tx: PlatformDb, deps: Deps, wish: KeyToInsert): Promise<NewApiKey> {
  const key = newApiKey(deps.config.deployment.mainnet)
  const row = await tx
    .insertInto('api_keys')
    .values({
      id: newId('key'),
      anchor_id: wish.anchorId,
      name: wish.name,
      prefix: prefixOf(key),
      key_hash: tokenHash(key),
      scopes: wish.scopes,
      created_by: wish.userId,
      created_at: deps.clock.now(),
      expires_at: wish.expiresAt,
      last_used_at: null,
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...asApiKey(row), key }
}

async function lockKey(tx: PlatformDb, anchorId: string, id: string) {
  const row = await tx
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('anchor_id', '=', anchorId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('api-key-not-found', 'This workspace has no key with this id.')
  return row
}

function recordKey(
  tx: PlatformDb,
  userId: string,
  anchorId: string,
  action: string,
  details: Record<string, unknown>,
  now: Date,
) {
  return record(tx, { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }, now)
}

const asApiKey = (row: Selectable<ApiKeysTable>): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
})
