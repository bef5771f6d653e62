import type { WaitingAct } from '@windlass/contracts/platform/waiting-acts.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { NotifiedAnchor } from '../notifications/changes.ts'
import { recordNotification } from '../notifications/record.ts'
import type { PlatformDb, WaitingActsTable } from '../tables.ts'

export type WaitingRow = Selectable<WaitingActsTable>

interface Wish {
  /** `PUT /api/v1/anchors/:anchorId/signing/limits` */
  endpoint: string
  requestHash: Buffer
  params: object
  query: object
  /** Null: it has none. */
  body: object | null
  /** What the audit log says once it is done. */
  action: string
  details: Record<string, unknown>
  /** Whether only those hear of it who may know of a suspicion. */
  closed: boolean
  /** `operator:<id>` */
  by: string
  /** Theirs. */
  email: string
  anchor: NotifiedAnchor
}

const contextOf = (id: string) => `waiting-act:${id}`

export const sealedWaitingBodies = sealedColumn({
  ...{ table: 'waiting_acts', column: 'sealed_body', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: { columns: { body: 'null' }, textOf: ({ body }) => body ?? '{}' },
})

/** What was sent. */
export const bodyOf = (sealer: Sealer, { id, body, sealed_body }: WaitingRow): object | null =>
  sealed_body ? (JSON.parse(sealer.open(sealed_body, contextOf(id))) as object | null) : body

const WEEK_MS = 7 * 86_400_000
const LISTED = 100

const endOf = ({ requested_at }: Pick<WaitingRow, 'requested_at'>): Date =>
  new Date(requested_at.getTime() + WEEK_MS)

/** Writes down what waits for a second person, once however often it is asked for, and returns the answer that says so. */
export async function keepWaiting(
  deps: Pick<Deps, 'database' | 'config' | 'sealer' | 'clock' | 'logger'>,
  { anchor, endpoint, requestHash, params, query, body, action, details, closed, by, email }: Wish,
): Promise<Problem> {
  const now = deps.clock.now()
  const id = newId('wait')
  const row = await deps.database.db.transaction().execute(async tx => {
    await removeEnded(tx, now)
    const made = await tx
      .insertInto('waiting_acts')
      .values({
        ...{ id, anchor_id: anchor.id, endpoint, request_hash: requestHash, action },
        ...{ params: JSON.stringify(params), query: JSON.stringify(query), body: null },
        sealed_body: deps.sealer.seal(JSON.stringify(body), contextOf(id)),
        ...{ details: JSON.stringify(details), requested_by: by, requested_at: now },
      })
      .onConflict(conflict => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (made) {
      await recordStep(tx, made, { step: 'wanted', by, now })
      const detail = `${email} asked for: ${describe(details)}.`.slice(0, 1_000)
      const spanish = `${email} pidió un cambio. Ábralo para ver cuál.`
      const kind = closed ? 'compliance-second-person-waits' : 'second-person-waits'
      const event = { kind, subject: made.id, detail, spanish } as const
      await recordNotification(deps, tx, anchor, event)
    }
    return (
      made ??
      (await tx
        .selectFrom('waiting_acts')
        .selectAll()
        .where('anchor_id', '=', anchor.id)
        .where('endpoint', '=', endpoint)
        .where('request_hash', '=', requestHash)
        .executeTakeFirstOrThrow())
    )
  })
  return new Problem(
    'second-person-waits',
    `This needs a second person. Someone else who may do it has to approve it by ${endOf(row).toISOString()}.`,
  )
}

export async function listWaiting(
  db: PlatformDb,
  anchorId: string,
  now: Date,
): Promise<(WaitingAct & { endpoint: string })[]> {
  const rows = await db
    .selectFrom('waiting_acts')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('requested_at', '>', new Date(now.getTime() - WEEK_MS))
    .orderBy('requested_at')
    .limit(LISTED)
    .execute()
  return rows.map(row => ({
    endpoint: row.endpoint,
    ...{ id: row.id, action: row.action, details: detailsOf(row), requestedBy: row.requested_by },
    ...{ requestedAt: row.requested_at.toISOString(), endsAt: endOf(row).toISOString() },
  }))
}

/** Throws `not-found`, also for what has ended. */
export async function getWaiting(
  db: PlatformDb,
  anchorId: string,
  id: string,
  now: Date,
): Promise<WaitingRow> {
  const row = await db
    .selectFrom('waiting_acts')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('id', '=', id)
    .where('requested_at', '>', new Date(now.getTime() - WEEK_MS))
    .executeTakeFirst()
  if (!row) throw gone()
  return row
}

/**
 * Takes what waits away and does it, once: two who decide at the same moment do not both decide. What was not done waits again;
 * after a crash it is gone, and has to be asked for again. Throws `not-found`.
 */
export async function doWaiting(
  { database: { db } }: Pick<Deps, 'database'>,
  row: WaitingRow,
  act: () => Promise<unknown>,
): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('waiting_acts').where('id', '=', row.id).executeTakeFirst()
  if (numDeletedRows === 0n) throw gone()
  try {
    await act()
  } catch (error) {
    const { params, query, body } = row
    const sent = {
      ...{ params: JSON.stringify(params), query: JSON.stringify(query) },
      body: body && JSON.stringify(body),
    }
    await db
      .insertInto('waiting_acts')
      .values({ ...row, ...sent })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    throw error
  }
}

const gone = () => new Problem('not-found', 'Nothing with this id waits for a second person.')

/** Throws `not-found`. */
export async function dropWaiting(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { anchorId, id, by }: { anchorId: string; id: string; by: string },
): Promise<void> {
  const now = clock.now()
  await database.db.transaction().execute(async tx => {
    const row = await getWaiting(tx, anchorId, id, now)
    const { numDeletedRows } = await tx.deleteFrom('waiting_acts').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw gone()
    await recordStep(tx, row, { step: 'dismissed', by, now })
  })
}

const removeEnded = (tx: PlatformDb, now: Date) =>
  tx
    .deleteFrom('waiting_acts')
    .where('requested_at', '<=', new Date(now.getTime() - WEEK_MS))
    .execute()

/** `perHour 500, perPayment none` */
const describe = (details: Record<string, unknown>): string =>
  Object.entries(details)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'object' ? (JSON.stringify(value) ?? 'none') : String(value)}`,
    )
    .join(', ')
    .replaceAll('null', 'none')

const detailsOf = ({ details }: WaitingRow) => JSON.parse(details) as Record<string, unknown>

interface Step {
  step: 'wanted' | 'dismissed'
  by: string
  now: Date
}

function recordStep(tx: PlatformDb, row: WaitingRow, { step, by, now }: Step): Promise<unknown> {
  const [about, act] = row.action.split('.')
  const entry = {
    ...{ actor: by, action: `${about}.${step}`, subject: `anchor:${row.anchor_id}` },
    details: { act, ...detailsOf(row) },
  }
  return record(tx, entry, now)
}
