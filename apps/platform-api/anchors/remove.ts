import type { Removal } from '@windlass/contracts/anchor-life.ts'
import { acceptRemoval, countOpenTransfers } from '@windlass/contracts/control-plane.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/outbox.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { asNeighbour } from '../neighbours.ts'
import { findAnchor, lockAnchor, type AnchorRow } from './queries.ts'
import { registrationOf } from './registry.ts'
import { nextStatus } from './status.ts'
import { enqueueSync } from './sync.ts'
import type { RemovalsTable } from './table.ts'

export const REMOVAL_TOPIC = 'remove-anchor'

type RemovalRow = Selectable<RemovalsTable>

const controlPlane = asNeighbour('The control plane')

/**
 * Takes an anchor down for good: suspended at once, then exported and removed by the control plane, which may be away
 * for long. Throws `anchor-not-found`, `anchor-wrong-state`, `anchor-has-open-transfers` unless forced.
 */
export async function removeAnchor(
  deps: Deps,
  anchorId: string,
  admin: Principals['admin'],
  wish: { reason: string; force?: boolean | undefined },
) {
  const { db } = deps.database
  const forced = wish.force === true
  demandRemovable(await findAnchor(db, anchorId))
  if (!forced) await demandNoOpenTransfers(deps, anchorId)
  return db.transaction().execute(async tx => {
    const anchor = demandRemovable(await lockAnchor(tx, anchorId))
    if (await findStandingRemoval(tx, anchorId))
      throw new Problem('anchor-wrong-state', 'The anchor is being removed already.')
    const now = deps.clock.now()
    const reason = wish.reason.trim()
    const row: RemovalRow = {
      id: newId('removal'),
      anchor_id: anchorId,
      state: 'requested',
      reason,
      forced,
      export: null,
      error: null,
      created_at: now,
      finished_at: null,
    }
    await tx
      .insertInto('removals')
      .values({ ...row, export: null })
      .execute()
    const status = nextStatus(anchor.status, 'withdraw') ?? anchor.status
    await tx.updateTable('anchors').set({ status, reason }).where('id', '=', anchorId).execute()
    // One that never stood has nothing to be cut.
    if (status === 'suspended') await enqueueSync(tx, anchorId)
    await enqueue(tx, REMOVAL_TOPIC, row.id, { removalId: row.id, anchorId })
    const details = { before: anchor.status, reason, forced }
    const act = { actor: `admin:${admin.username}`, action: 'anchor.removal-requested' }
    await record(tx, { ...act, subject: `anchor:${anchorId}`, details }, now)
    return { id: anchorId, status, removal: shown(row) }
  })
}

function demandRemovable(anchor: AnchorRow | undefined): AnchorRow {
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  if (anchor.status === 'error' || nextStatus(anchor.status, 'withdraw')) return anchor
  throw new Problem('anchor-wrong-state', `The anchor is ${anchor.status}.`)
}

async function demandNoOpenTransfers(deps: Deps, anchorId: string): Promise<void> {
  const asked = deps.controlPlane.call(countOpenTransfers, { params: { anchorId } })
  const { open } = await controlPlane(asked)
  if (open === 0) return
  const what = open === 1 ? '1 transfer is open.' : `${open} transfers are open.`
  throw new Problem('anchor-has-open-transfers', what)
}

/** Hands a removal to the control plane, which takes it once, with what the platform adds to the export. */
export function handOverRemoval(deps: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const { removalId, anchorId } = message.payload as { removalId: string; anchorId: string }
    const { db } = deps.database
    const [anchor, removal] = [await findAnchor(db, anchorId), await findRemoval(db, anchorId)]
    if (!anchor || removal?.id !== removalId) return
    const body = { removalId, forced: removal.forced, records: await recordsOf(deps, anchor) }
    await deps.controlPlane.call(acceptRemoval, { params: { anchorId }, body })
  }
}

/** What the platform knows of an anchor and keeps no secret of. */
async function recordsOf({ database: { db }, sealer }: Deps, anchor: AnchorRow) {
  const organization = await db
    .selectFrom('organizations')
    .select(['id', 'name', 'slug'])
    .where('id', '=', anchor.organization_id)
    .executeTakeFirst()
  const members = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'users.full_name as fullName', 'role'])
    .where('organization_id', '=', anchor.organization_id)
    .execute()
  const registration = anchor.api_url ? registrationOf(anchor, sealer) : null
  if (registration) delete registration.summarySecret
  const { application_id: applicationId, created_at, activated_at } = anchor
  return {
    platform: { applicationId, createdAt: created_at, activatedAt: activated_at },
    registration,
    organization: { ...organization, members },
  }
}

/** The last one that was asked for. */
export function findRemoval(db: PlatformDb, anchorId: string): Promise<RemovalRow | undefined> {
  return db
    .selectFrom('removals')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** One that is under way or done. */
export function findStandingRemoval(db: PlatformDb, anchorId: string): Promise<RemovalRow | undefined> {
  return db
    .selectFrom('removals')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('state', '<>', 'refused')
    .executeTakeFirst()
}

/** Throws `anchor-not-found`, `removal-not-found`. */
export async function showRemoval(db: PlatformDb, anchorId: string): Promise<Removal> {
  if (!(await findAnchor(db, anchorId)))
    throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const row = await findRemoval(db, anchorId)
  if (!row) throw new Problem('removal-not-found', 'Nobody asked for the removal of this anchor.')
  return shown(row)
}

function shown({ id, state, reason, forced, error, ...row }: RemovalRow): Removal {
  return {
    ...{ id, state, reason, forced, error },
    export: row.export,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
