import { organizationRecords } from '../operators/organizations.ts'
import type { Removal } from '@windlass/contracts/platform/anchor-life.ts'
import { acceptRemoval, countOpenTransfers, readExport } from '@windlass/contracts/internal/control-plane.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { type OutboxMessage, enqueue } from '@windlass/service/work/outbox.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyReply } from 'fastify'
import type { Selectable } from 'kysely'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { passProblems } from '../infrastructure/services.ts'
import type { PlatformDb, RemovalsTable } from '../tables.ts'
import { recordEventIn } from './events.ts'
import { type AnchorRow, findAnchor, lockAnchor } from './anchors.ts'
import { deregister, enqueueSync, registrationOf } from './registry.ts'
import { nextStatus } from './status.ts'
import { endWindDown, findNewest, findStanding, isOver, shownWindDown } from './wind-down.ts'

export const REMOVAL_TOPIC = 'remove-anchor'

type RemovalRow = Selectable<RemovalsTable>

const controlPlane = passProblems('The control plane')

/**
 * Removes an anchor permanently: it is suspended at once, then exported and removed by the control plane, which may
 * be unavailable for long. Throws `anchor-not-found`, `anchor-wrong-state`, `anchor-has-open-transfers` unless forced, and
 * `anchor-holds-units` unless they are to be left.
 */
export async function removeAnchor(
  deps: Deps,
  anchorId: string,
  admin: Principals['admin'],
  wish: { reason: string; force?: boolean | undefined; leaveUnits?: boolean | undefined },
) {
  const { db } = deps.database
  const forced = wish.force === true
  requireRemovable(await findAnchor(db, anchorId))
  if (!forced || !wish.leaveUnits || deps.config.deployment.mainnet)
    await requireNothingLeft(deps, anchorId, wish)
  return db.transaction().execute(async tx => {
    const anchor = requireRemovable(await lockAnchor(tx, anchorId))
    if (await findActiveRemoval(tx, anchorId))
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
    await endWindDown(tx, anchor)
    const status = nextStatus(anchor.status, 'withdraw') ?? anchor.status
    await tx.updateTable('anchors').set({ status, reason }).where('id', '=', anchorId).execute()
    // One that was never provisioned has no servers and no registry entry.
    if (status === 'suspended') await enqueueSync(tx, anchorId)
    await enqueue(tx, REMOVAL_TOPIC, row.id, { removalId: row.id, anchorId })
    const details = { before: anchor.status, reason, forced }
    const act = { actor: `admin:${admin.username}`, action: 'anchor.removal-requested' }
    await record(tx, { ...act, subject: `anchor:${anchorId}`, details }, now)
    return { id: anchorId, status, removal: shown(row) }
  })
}

function requireRemovable(anchor: AnchorRow | undefined): AnchorRow {
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  if (anchor.status === 'error' || nextStatus(anchor.status, 'withdraw')) return anchor
  throw new Problem('anchor-wrong-state', `The anchor is ${anchor.status}.`)
}

async function requireNothingLeft(
  deps: Deps,
  anchorId: string,
  { force, leaveUnits }: { force?: boolean | undefined; leaveUnits?: boolean | undefined },
): Promise<void> {
  const asked = deps.controlPlane.call(countOpenTransfers, { params: { anchorId } })
  const { open, units = [], owed = [] } = await controlPlane(asked)
  if (owed.length > 0) await requireWoundDown(deps, anchorId, owed)
  if (open > 0 && !force) {
    const what = open === 1 ? '1 transfer is open.' : `${open} transfers are open.`
    throw new Problem('anchor-has-open-transfers', what)
  }
  if (units.length === 0 || leaveUnits) return
  const held = units.map(({ amount, code }) => `${amount} ${code}`).join(', ')
  throw new Problem('anchor-holds-units', `The distribution account still holds ${held}.`)
}

/**
 * What is owed keeps an anchor on the public network, whatever an administrator forces: it is closed by two people first.
 * Units of a test network are worth nothing.
 */
async function requireWoundDown(
  { database, config, clock }: Deps,
  anchorId: string,
  owed: readonly { unit: string; amount: string }[],
): Promise<void> {
  if (!config.deployment.mainnet) return
  const closing = await findStanding(database.db, anchorId)
  if (closing && isOver(closing, clock.now())) return
  const what = owed.map(({ unit, amount }) => `${amount} ${unit}`).join(', ')
  const until = closing?.state === 'announced' ? ` Units are redeemed until ${closing.redeem_until}.` : ''
  throw new Problem('anchor-owes-customers', `The anchor owes ${what}.${until}`)
}

/** Sends a removal to the control plane, which accepts it once, with what the platform adds to the export. */
export function requestRemoval(deps: Deps) {
  return async (message: OutboxMessage): Promise<void> => {
    const { removalId, anchorId } = message.payload as { removalId: string; anchorId: string }
    const { db } = deps.database
    const [anchor, removal] = [await findAnchor(db, anchorId), await findRemoval(db, anchorId)]
    if (!anchor || removal?.id !== removalId) return
    const body = { removalId, forced: removal.forced, records: await recordsOf(deps, anchor) }
    await deps.controlPlane.call(acceptRemoval, { params: { anchorId }, body })
  }
}

/** The platform's records of an anchor, without secrets. */
async function recordsOf({ database: { db }, sealer }: Deps, anchor: AnchorRow) {
  const registration = anchor.api_url ? registrationOf(anchor, sealer) : null
  if (registration) delete registration.summarySecret
  const closing = await findNewest(db, anchor.id)
  const { application_id: applicationId, created_at, activated_at } = anchor
  return {
    platform: { applicationId, createdAt: created_at, activatedAt: activated_at },
    registration,
    exportKey: anchor.export_key,
    closing: closing ? shownWindDown(closing) : null,
    organization: await organizationRecords(db, anchor.organization_id),
  }
}

/** The removal that was requested last. */
function findRemoval(db: PlatformDb, anchorId: string): Promise<RemovalRow | undefined> {
  return db
    .selectFrom('removals')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A removal that is in progress or done. */
export function findActiveRemoval(db: PlatformDb, anchorId: string): Promise<RemovalRow | undefined> {
  return db
    .selectFrom('removals')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('state', '<>', 'refused')
    .executeTakeFirst()
}

/** Throws `anchor-not-found`, `removal-not-found`. */
export async function getRemoval(db: PlatformDb, anchorId: string): Promise<Removal> {
  if (!(await findAnchor(db, anchorId)))
    throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const row = await findRemoval(db, anchorId)
  if (!row) throw new Problem('removal-not-found', 'No removal of this anchor was requested.')
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

type RemovalReport = Pick<Removal, 'id' | 'state' | 'export' | 'error'>

const order: readonly Removal['state'][] = ['requested', 'exporting', 'withdrawing', 'dropping', 'done']
const aggregator = passProblems('The aggregator')

/**
 * Records the progress of a removal. An older report changes nothing. At `withdrawing` the anchor is removed, and the
 * answer waits until the aggregator has removed it too. Throws `anchor-not-found`,
 * `dependency-unavailable`.
 */
export async function recordRemovalReport(
  deps: Deps,
  anchorId: string,
  reported: RemovalReport,
): Promise<void> {
  await deps.database.db.transaction().execute(tx => storeReport(deps, tx, anchorId, reported))
  if (reported.state === 'withdrawing') await aggregator(deregister(deps, anchorId))
}

async function storeReport(
  deps: Deps,
  tx: PlatformDb,
  anchorId: string,
  reported: RemovalReport,
): Promise<void> {
  const now = deps.clock.now()
  const anchor = await lockAnchor(tx, anchorId)
  const known = await tx
    .selectFrom('removals')
    .selectAll()
    .where('id', '=', reported.id)
    .where('anchor_id', '=', anchorId)
    .forUpdate()
    .executeTakeFirst()
  if (!anchor || !known) throw new Problem('anchor-not-found', 'No removal of an anchor has this id.')
  if (known.finished_at !== null || isOlder(reported.state, known.state)) return
  const finished = reported.state === 'done' || reported.state === 'refused'
  await tx
    .updateTable('removals')
    .set({
      state: reported.state,
      error: reported.error,
      ...(reported.export ? { export: JSON.stringify(reported.export) } : {}),
      ...(finished ? { finished_at: now } : {}),
    })
    .where('id', '=', reported.id)
    .execute()
  const removed = reported.state === 'withdrawing' && nextStatus(anchor.status, 'remove')
  if (removed) await tx.updateTable('anchors').set({ status: removed }).where('id', '=', anchorId).execute()
  if (reported.state === 'done') {
    const detail = `Removed; its data is in ${reported.export?.file ?? known.export?.file ?? 'no file'}.`
    const event = { id: reported.id, kind: 'removed', detail, at: now.toISOString() } as const
    await recordEventIn(deps, tx, anchorId, event)
  }
  if (reported.state === 'refused') {
    const details = { removalId: reported.id, error: reported.error }
    const act = { actor: 'system', action: 'anchor.removal-refused', subject: `anchor:${anchorId}`, details }
    await record(tx, act, now)
  }
}

const isOlder = (state: Removal['state'], known: Removal['state']) =>
  state !== 'refused' && order.indexOf(state) < order.indexOf(known)

const WITHIN_MS = 30 * 60_000

/**
 * The export of an anchor's data as it comes from the control plane. Throws `anchor-not-found`, `removal-not-found`
 * (also while there is none yet), `dependency-unavailable`.
 */
export async function openExport(
  deps: Deps,
  anchorId: string,
  admin: Principals['admin'],
  reply: FastifyReply,
): Promise<Readable> {
  const { export: made } = await getRemoval(deps.database.db, anchorId)
  if (!made) throw new Problem('removal-not-found', 'There is no export of this anchor yet.')
  const signal = AbortSignal.timeout(WITHIN_MS)
  const answer = await controlPlane(deps.controlPlane.open(readExport, { params: { anchorId }, signal }))
  const act = { actor: `admin:${admin.username}`, action: 'anchor.export-downloaded' }
  const details = { file: made.file }
  await deps.database.db
    .transaction()
    .execute(tx => record(tx, { ...act, subject: `anchor:${anchorId}`, details }, deps.clock.now()))
  void reply
    .header('content-type', 'application/gzip')
    .header('content-length', String(made.bytes))
    .header('content-disposition', `attachment; filename="${made.file}"`)
    .header('repr-digest', `sha-256=:${Buffer.from(made.sha256, 'hex').toString('base64')}:`)
    .header('cache-control', 'no-store')
  return Readable.fromWeb(answer.body as ReadableStream)
}
