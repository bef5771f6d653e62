import type { Principals } from '@windlass/contracts/realm.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { readLogin } from '../wallets/prove-by-login.ts'

type Internal = Principals['internal']

/** Throws `customer-not-found` where an anchor asks for a customer who never came to it, or withdrew its access. */
export async function requireVisit(db: PlatformDb, principal: Internal, customerId: string): Promise<void> {
  if (principal.kind === 'platform' || (await hasAccess(db, principal.anchorId, customerId))) return
  throw new Problem('customer-not-found', 'No customer with this id came to your anchor.')
}

/** Whether the customer came to the anchor and did not withdraw its access. */
export async function hasAccess(db: PlatformDb, anchorId: string, customerId: string): Promise<boolean> {
  const visit = await db
    .selectFrom('anchor_visits')
    .select('customer_id')
    .where('anchor_id', '=', anchorId)
    .where('customer_id', '=', customerId)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  return visit !== undefined
}

/** Those of the customers who came to the anchor and did not withdraw its access. */
export async function withAccess(
  db: PlatformDb,
  anchorId: string,
  customerIds: readonly string[],
): Promise<string[]> {
  if (customerIds.length === 0) return []
  const rows = await db
    .selectFrom('anchor_visits')
    .select('customer_id')
    .where('anchor_id', '=', anchorId)
    .where('customer_id', 'in', [...customerIds])
    .where('withdrawn_at', 'is', null)
    .execute()
  return rows.map(({ customer_id }) => customer_id)
}

/** Throws `wallet-login-needed` where an anchor asks for a wallet that never logged in there. */
export async function requireLogin(db: PlatformDb, principal: Internal, address: string): Promise<void> {
  if (principal.kind === 'platform') return
  const login = await db
    .selectFrom('anchor_logins')
    .select('address')
    .where('anchor_id', '=', principal.anchorId)
    .where('address', '=', address)
    .executeTakeFirst()
  if (!login) throw new Problem('wallet-login-needed', "Report the wallet's login at your anchor first.")
}

/** Records that a customer's wallet came to the anchor. An access that the customer withdrew stays withdrawn. */
export async function recordVisit(db: PlatformDb, anchorId: string, customerId: string): Promise<void> {
  await db
    .insertInto('anchor_visits')
    .values({ anchor_id: anchorId, customer_id: customerId })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** The customer gives the anchor access, also again. */
export async function giveAccess(tx: PlatformDb, anchorId: string, customerId: string): Promise<void> {
  await tx
    .insertInto('anchor_visits')
    .values({ anchor_id: anchorId, customer_id: customerId })
    .onConflict(conflict =>
      conflict.columns(['anchor_id', 'customer_id']).doUpdateSet({ withdrawn_at: null }),
    )
    .execute()
}

/** Whether the customer withdrew the anchor's access. */
export async function hasWithdrawn(db: PlatformDb, anchorId: string, customerId: string): Promise<boolean> {
  const visit = await db
    .selectFrom('anchor_visits')
    .select('customer_id')
    .where('anchor_id', '=', anchorId)
    .where('customer_id', '=', customerId)
    .where('withdrawn_at', 'is not', null)
    .executeTakeFirst()
  return visit !== undefined
}

/** Takes the anchor's access to the customer away, until they sign in there again. Throws `anchor-not-found`. */
export async function withdrawAccess(deps: Deps, customerId: string, anchorId: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.db.transaction().execute(async tx => {
    const withdrawn = await tx
      .updateTable('anchor_visits')
      .set({ withdrawn_at: now })
      .where('anchor_id', '=', anchorId)
      .where('customer_id', '=', customerId)
      .where('withdrawn_at', 'is', null)
      .returning('anchor_id')
      .executeTakeFirst()
    if (!withdrawn) throw new Problem('anchor-not-found', 'You use no anchor with this id.')
    const actor = `customer:${customerId}`
    const act = { actor, action: 'consent.withdrawn', subject: actor, details: { anchorId } }
    await record(tx, act, now)
  })
}

export async function deleteVisitsOf(tx: PlatformDb, customerId: string): Promise<void> {
  await tx.deleteFrom('anchor_visits').where('customer_id', '=', customerId).execute()
}

/** Anchors that a customer came to and that have access, newest first. */
export function listVisits(
  db: PlatformDb,
  customerId: string,
  start: PageStart | null,
  limit: number,
): Promise<{ anchorId: string; since: Date }[]> {
  // A cursor holds milliseconds; these times are finer.
  const since = sql<Date>`date_trunc('milliseconds', first_at)`
  let query = db
    .selectFrom('anchor_visits')
    .select(['anchor_id as anchorId', since.as('since')])
    .where('customer_id', '=', customerId)
    .where('withdrawn_at', 'is', null)
  if (start) query = query.where(sql<boolean>`(${since}, anchor_id) < (${start.createdAt}, ${start.id})`)
  return query.orderBy(since, 'desc').orderBy('anchor_id', 'desc').limit(limit).execute()
}

/** SEP-10 tokens are valid for a day at most: a login is reported while its token may still be used. */
const LOGIN_SECONDS = 24 * 3600

/**
 * Records that a wallet logged in at the anchor. Returns its address. Throws `proof-not-accepted`, also for a login at
 * another anchor, and `dependency-unavailable` where the ledger cannot be read.
 */
export async function recordLogin(deps: Deps, principal: Internal, transaction: string): Promise<string> {
  const anchorId = requireAnchor(principal)
  const login = await readLogin(deps, transaction, LOGIN_SECONDS)
  if (login.anchorId !== anchorId)
    throw new Problem('proof-not-accepted', 'Not accepted: this is a sign-in at another anchor.')
  await insertLogin(deps.database.db, anchorId, login.address)
  return login.address
}

/** Records that the wallet's login at the anchor was seen. */
export async function insertLogin(db: PlatformDb, anchorId: string, address: string): Promise<void> {
  await db
    .insertInto('anchor_logins')
    .values({ anchor_id: anchorId, address })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Throws `forbidden` for the platform's own secret: there is no anchor that a customer could come to. */
export function requireAnchor(principal: Internal): string {
  if (principal.kind === 'anchor') return principal.anchorId
  throw new Problem('forbidden', "Send an anchor's own service secret.")
}

/** Forgets logins. Where the wallet still comes, the anchor is asked again for its last login. */
export async function pruneLogins(db: PlatformDb): Promise<void> {
  await sql`delete from anchor_logins where first_at < now() - interval '400 days'`.execute(db)
}
