import type { AnchorEvent } from '@windlass/contracts/anchor-life.ts'
import type { PageStart } from '@windlass/service/pages.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { postLetter } from '../mail/send.ts'
import { eventLetter } from './letters.ts'
import { lockAnchor } from './queries.ts'

/**
 * Keeps what happened to an anchor, once for each id, and writes to its organization's owners where they should know.
 * Throws `anchor-not-found`.
 */
export async function keepEvent(deps: Deps, anchorId: string, event: AnchorEvent): Promise<void> {
  await deps.database.db.transaction().execute(tx => keepEventIn(deps, tx, anchorId, event))
}

/** As {@link keepEvent}, in the caller's transaction; it writes to the audit log, so it comes last. */
export async function keepEventIn(
  deps: Pick<Deps, 'sealer' | 'clock'>,
  tx: PlatformDb,
  anchorId: string,
  event: AnchorEvent,
): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const { id, kind, detail, at } = event
  const added = await tx
    .insertInto('anchor_events')
    .values({ id, anchor_id: anchorId, kind, detail, at: new Date(at) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 1n) return
  const letter = eventLetter(anchor.plan, event)
  if (letter) {
    for (const email of await ownersOf(tx, anchor.organization_id))
      await postLetter(tx, deps.sealer, `anchor-event:${id}:${email}`, email, letter)
  }
  const act = {
    actor: 'system',
    action: `anchor.${kind}`,
    subject: `anchor:${anchorId}`,
    details: { detail },
  }
  await record(tx, act, deps.clock.now())
}

export async function ownersOf(db: PlatformDb, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('users.email')
    .execute()
  return rows.map(row => row.email)
}

export async function findEvents(db: PlatformDb, anchorId: string, start: PageStart | null, limit: number) {
  let query = db
    .selectFrom('anchor_events')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (start) query = query.where(sql<boolean>`(at, id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(({ id, at, kind, detail }) => ({
    id,
    createdAt: at,
    event: { id, kind, detail, at: at.toISOString() },
  }))
}
