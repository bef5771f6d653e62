import {
  closedKinds,
  type Notification,
  type NotificationReport,
} from '@windlass/contracts/platform/notifications.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import type { NotifiedAnchor, Row } from './changes.ts'
import { notify } from './notify.ts'

const DAY_MS = 24 * 3_600_000

type Subject = Pick<Row, 'kind' | 'subject'>
type Event = Subject & Pick<Row, 'detail'> & { spanish?: string | null | undefined }
type Sender = Pick<Deps, 'config' | 'sealer' | 'clock' | 'logger'>

/** For one anchor. What comes beyond them is not recorded; a condition that is still open is when it is reported again. */
const ROWS_A_DAY = 1_000

/** How old an event can be when it is reported: its reporter may have been cut off. */
const OLDEST_MS = 60 * DAY_MS
const KEPT_MS = 180 * DAY_MS

/**
 * Compares what a service reports with the conditions that are open: new ones start, missing ones of the kinds that were
 * evaluated end unless the service is unsure of them, and each event is recorded once. People are notified of each change once, in the same transaction.
 *
 * @param anchor null: the platform, whose administrators are notified
 */
export async function recordReport(
  deps: Deps,
  anchor: NotifiedAnchor | null,
  { evaluated, conditions, unsure = [], events }: NotificationReport,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    const before = await lockOpen(tx, anchor, evaluated)
    const now = deps.clock.now()
    let left = anchor ? ROWS_A_DAY - (await countRows(tx, anchor, now)) : Infinity
    const add = async (event: Event, given: Parameters<typeof insert>[4]): Promise<Row[]> => {
      const rows = left > 0 ? await insert(tx, now, anchor, event, given) : []
      left -= rows.length
      return rows
    }
    const reported = conditions.filter(({ kind }) => evaluated.includes(kind))
    const isSame = (one: Subject) => (other: Subject) =>
      one.kind === other.kind && one.subject === other.subject
    const started: Row[] = []
    for (const condition of reported) {
      const open = before.find(isSame(condition))
      if (open) await describe(tx, open, condition)
      else started.push(...(await add(condition, { event: false })))
    }
    const over = before.filter(row => ![...reported, ...unsure].some(isSame(row)))
    const ended = await endAll(tx, over, now)
    const happened: Row[] = []
    for (const event of events) happened.push(...(await add(event, { event: true, at: new Date(event.at) })))
    if (left <= 0)
      deps.logger.warn({ anchorId: anchor?.id }, 'too many notifications in a day: not all are recorded')
    await notify(deps, tx, anchor, { started, ended, happened })
  })
}

/** Records an event in the caller's transaction, once for its kind and subject, and notifies people of it. */
export async function recordNotification(
  deps: Sender,
  tx: PlatformDb,
  anchor: NotifiedAnchor | null,
  event: Event,
): Promise<void> {
  const happened = await insert(tx, deps.clock.now(), anchor, event, { event: true })
  await notify(deps, tx, anchor, { started: [], ended: [], happened })
}

/** One report of an anchor at a time, so that two reports of the same change notify once. */
async function lockOpen(
  tx: PlatformDb,
  anchor: NotifiedAnchor | null,
  kinds: NotificationReport['evaluated'],
): Promise<Row[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`notifications:${anchor?.id ?? ''}`}, 0))`.execute(
    tx,
  )
  if (kinds.length === 0) return []
  return tx
    .selectFrom('notifications')
    .selectAll()
    .where('anchor_id', anchor ? '=' : 'is', anchor?.id ?? null)
    .where('kind', 'in', kinds)
    .where('ended_at', 'is', null)
    .execute()
}

/** Notifications of an anchor that began or happened in the last day. */
async function countRows(tx: PlatformDb, anchor: NotifiedAnchor, now: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('anchor_id', '=', anchor.id)
    .where('recorded_at', '>', new Date(now.getTime() - DAY_MS))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes notifications that ended half a year ago. Until then an event that is reported again is known. */
export async function pruneNotifications(db: PlatformDb, now: Date): Promise<void> {
  await db
    .deleteFrom('notifications')
    .where('ended_at', '<', new Date(now.getTime() - KEPT_MS))
    .execute()
}

async function insert(
  tx: PlatformDb,
  now: Date,
  anchor: NotifiedAnchor | null,
  { kind, subject, detail, spanish = null }: Event,
  { event, at }: { event: boolean; at?: Date },
): Promise<Row[]> {
  const isCredible = at && at <= now && at.getTime() > now.getTime() - OLDEST_MS
  const startedAt = isCredible ? at : now
  return tx
    .insertInto('notifications')
    .values({
      id: newId('ntf'),
      anchor_id: anchor?.id ?? null,
      ...{ kind, subject, detail, spanish, event },
      started_at: startedAt,
      ended_at: event ? startedAt : null,
      recorded_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .execute()
}

async function describe(tx: PlatformDb, open: Row, { detail, spanish = null }: Event): Promise<void> {
  if (open.detail === detail && open.spanish === spanish) return
  await tx.updateTable('notifications').set({ detail, spanish }).where('id', '=', open.id).execute()
}

async function endAll(tx: PlatformDb, rows: readonly Row[], now: Date): Promise<Row[]> {
  if (rows.length === 0) return []
  return tx
    .updateTable('notifications')
    .set({ ended_at: now })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .returningAll()
    .execute()
}

/** A page of an anchor's notifications, newest first. `open`: only conditions that have not ended; `closed`: also those that tell of a suspicion. */
export async function listNotificationPage(
  db: PlatformDb,
  anchorId: string,
  { open, closed, start, limit }: { open: boolean; closed: boolean; start: PageStart | null; limit: number },
): Promise<{ id: string; createdAt: Date; notification: Notification }[]> {
  let query = db
    .selectFrom('notifications')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (open) query = query.where('ended_at', 'is', null)
  if (!closed) query = query.where('kind', 'not in', closedKinds)
  if (start) query = query.where(sql<boolean>`(started_at, id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(row => ({ id: row.id, createdAt: row.started_at, notification: notificationForm(row) }))
}

const notificationForm = (row: Row): Notification => ({
  ...{ id: row.id, kind: row.kind, subject: row.subject, detail: row.detail },
  ...(row.spanish !== null && { spanish: row.spanish }),
  startedAt: row.started_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
})

const OPEN_LIMIT = 50

/** The conditions that are open anywhere, the newest first. */
export async function listOpenConditions(
  db: PlatformDb,
): Promise<{ anchorId: string | null; notification: Notification }[]> {
  const rows = await db
    .selectFrom('notifications')
    .selectAll()
    .where('ended_at', 'is', null)
    // Hits are their organization's to know.
    .where('subject', 'not in', ['screening-hits', 'screening-cases'])
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(OPEN_LIMIT)
    .execute()
  return rows.map(row => ({ anchorId: row.anchor_id, notification: notificationForm(row) }))
}
