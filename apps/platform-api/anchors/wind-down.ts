import type { WindDown } from '@windlass/contracts/platform/anchor-life.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import type { Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb, WindDownsTable } from '../tables.ts'
import { type AnchorRow, findAnchor, lockAnchor } from './anchors.ts'
import { recordEventIn } from './events.ts'

/*
 * How an anchor that owes something is closed: two administrators, units are redeemed until a day, and someone who is
 * named answers for what is left then.
 */

export const WIND_DOWN_TOPIC = 'announce-wind-down'

type WindDownRow = Selectable<WindDownsTable>

const DAY_MS = 86_400_000
/** Holders of units read of it in time. */
const LEAST_DAYS = 30

type Wish = Pick<WindDown, 'reason' | 'redeemUntil' | 'successor'>

/** Writes down that an anchor is to be closed. Throws `anchor-not-found`, `anchor-wrong-state`, `validation-failed`. */
export async function requestWindDown(
  deps: Deps,
  anchorId: string,
  { username }: Principals['admin'],
  { reason, redeemUntil, successor }: Wish,
): Promise<WindDown> {
  const now = deps.clock.now()
  const end = endOf(redeemUntil)
  if (end === null) throw invalid('redeemUntil', 'must be a day such as 2026-11-30')
  if (end.getTime() - now.getTime() < LEAST_DAYS * DAY_MS)
    throw invalid('redeemUntil', `must be at least ${LEAST_DAYS} days from now`)
  return deps.database.db.transaction().execute(async tx => {
    const anchor = await lockAnchor(tx, anchorId)
    if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    if (anchor.status !== 'active') throw wrong(`The anchor is ${anchor.status}.`)
    if (await findStanding(tx, anchorId)) throw wrong('The anchor is closed already, or waits for that.')
    const by = `admin:${username}`
    const row = { id: newId('closing'), anchor_id: anchorId, reason, redeem_until: redeemUntil }
    const made = await tx
      .insertInto('wind_downs')
      .values({ ...row, successor: JSON.stringify(successor), requested_by: by, requested_at: now })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordAct(tx, made, 'requested', by, now)
    return shownWindDown(made)
  })
}

/** Approves it as a second administrator, or rejects it. Throws `not-found`, `second-person-needed`. */
export async function decideWindDown(
  deps: Deps,
  anchorId: string,
  { username }: Principals['admin'],
  approve: boolean,
): Promise<WindDown> {
  const now = deps.clock.now()
  return deps.database.db.transaction().execute(async tx => {
    if (!(await lockAnchor(tx, anchorId)))
      throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    const row = await findStanding(tx, anchorId)
    if (row?.state !== 'waiting')
      throw new Problem('not-found', 'Nobody asked to close this anchor, or it was decided.')
    const by = `admin:${username}`
    if (approve && row.requested_by === by)
      throw new Problem('second-person-needed', 'You asked for this. Another administrator approves it.')
    const decided = await tx
      .updateTable('wind_downs')
      .set({ state: approve ? 'announced' : 'rejected', decided_by: by, decided_at: now })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (approve) {
      await enqueue(tx, WIND_DOWN_TOPIC, row.id, { windDownId: row.id, anchorId })
      const event = { id: row.id, kind: 'closing', detail: announcement(row), at: now.toISOString() } as const
      await recordEventIn(deps, tx, anchorId, event)
    }
    await recordAct(tx, decided, approve ? 'approved' : 'rejected', by, now)
    return shownWindDown(decided)
  })
}

/** What customers read while it closes: at most 300 characters, as the message of a pause. */
export function announcement({ redeem_until: until, successor }: WindDownRow): string {
  const end = ` After that, write to ${successor.name}, ${successor.contact}.`
  return `This anchor closes. Redeem what you hold by ${until}.${end}`.slice(0, 300)
}

/** Whether units were redeemed until the day that was announced. */
export const isOver = ({ state, redeem_until }: WindDownRow, now: Date): boolean =>
  state === 'announced' && now > (endOf(redeem_until) ?? now)

/** The end of a day in UTC; null: there is no such day. */
function endOf(day: string): Date | null {
  const start = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day) return null
  return new Date(start.getTime() + DAY_MS)
}

/** The one that waits or is announced. */
export function findStanding(db: PlatformDb, anchorId: string): Promise<WindDownRow | undefined> {
  const query = db.selectFrom('wind_downs').selectAll().where('anchor_id', '=', anchorId)
  return query.where('state', 'in', ['waiting', 'announced']).executeTakeFirst()
}

/** The newest one. Throws `anchor-not-found`, `not-found`. */
export async function getWindDown(db: PlatformDb, anchorId: string): Promise<WindDown> {
  if (!(await findAnchor(db, anchorId)))
    throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const row = await findNewest(db, anchorId)
  if (!row) throw new Problem('not-found', 'Nobody asked to close this anchor.')
  return shownWindDown(row)
}

export function findNewest(db: PlatformDb, anchorId: string): Promise<WindDownRow | undefined> {
  const query = db.selectFrom('wind_downs').selectAll().where('anchor_id', '=', anchorId)
  return query.orderBy('requested_at', 'desc').limit(1).executeTakeFirst()
}

/** It is removed, in the caller's transaction: the successor answers for what is left. */
export async function endWindDown(tx: PlatformDb, { id }: Pick<AnchorRow, 'id'>): Promise<void> {
  await tx
    .updateTable('wind_downs')
    .set({ state: 'ended' })
    .where('anchor_id', '=', id)
    .where('state', '=', 'announced')
    .execute()
}

const wrong = (why: string) => new Problem('anchor-wrong-state', why)

async function recordAct(
  tx: PlatformDb,
  row: WindDownRow,
  done: string,
  actor: string,
  now: Date,
): Promise<void> {
  const { anchor_id: id, reason, redeem_until: redeemUntil, successor } = row
  const details = { reason, redeemUntil, successor: `${successor.name}, ${successor.contact}` }
  await record(tx, { actor, action: `anchor.closing-${done}`, subject: `anchor:${id}`, details }, now)
}

export const shownWindDown = (row: WindDownRow): WindDown => ({
  ...{ id: row.id, state: row.state, reason: row.reason, redeemUntil: row.redeem_until },
  ...{ successor: row.successor, requestedBy: row.requested_by, requestedAt: row.requested_at.toISOString() },
  ...{ decidedBy: row.decided_by, decidedAt: row.decided_at?.toISOString() ?? null },
})
