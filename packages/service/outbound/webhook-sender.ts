import type { FastifyBaseLogger } from 'fastify'
import { sql, type Generated, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { claimDue } from '../work/claim-due.ts'
import type { Clock } from '../work/clock.ts'
import type { Outbound } from './outbound.ts'
import { sendWebhook, webhookPause } from './send-webhook.ts'

/** Deliveries under way: of all recipients, of those with slow endpoints, and of one recipient. Most of the time they wait. */
const AT_ONCE = 50
const AT_ONCE_SLOW = 25
const AT_ONCE_PER_RECIPIENT = 2
/** A recipient is slow for so long after a delivery of it that took so long. */
const SLOW_MS = 3_000
const SLOW_FOR_MS = 600_000

/** The columns of a table of deliveries, which has the payload beside them. */
export interface DeliveryTable {
  id: Generated<string>
  endpoint_id: string
  message_id: string
  event: string
  state: Generated<'waiting' | 'delivered' | 'dead'>
  attempts: Generated<number>
  last_status: number | null
  last_error: string | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  delivered_at: Date | null
}
type DeliveryRow = Pick<Selectable<DeliveryTable>, 'id' | 'endpoint_id' | 'message_id' | 'attempts'>

/** Where a delivery goes. */
interface Destination {
  recipient: string
  url: string
  /** A failure counts as a failed attempt. */
  secret(): string
}

interface Deliveries<Row extends DeliveryRow, Tables> {
  deps: {
    database: { db: Kysely<Tables> }
    outbound: Pick<Outbound, 'request'>
    clock: Clock
    logger: Pick<FastifyBaseLogger, 'warn'>
  }
  /** With the columns of a {@link DeliveryTable}. */
  table: string
  /** Text, of a row of the table: whose limit it counts against. */
  recipient: RawBuilder<string>
  /** By endpoint. One that was removed since is left out: its deliveries are removed with it. */
  destinations(endpointIds: string[]): Promise<Map<string, Destination>>
  /** JSON. */
  body(row: Row): string
}

/** Sends messages that are due to the endpoints of developers, signed by Standard Webhooks. */
export interface WebhookSender {
  /** Starts what is due, and what becomes possible as deliveries end. */
  round(): Promise<void>
  /** Waits for those under way. */
  idle(): Promise<void>
  /** Starts no further delivery and waits for those under way. */
  stop(): Promise<void>
}

/**
 * A recipient has few deliveries under way at once, however many endpoints it has, and all recipients with slow endpoints
 * leave room for the others.
 */
export function createWebhookSender<Row extends DeliveryRow, Tables>(
  deliveries: Deliveries<Row, Tables>,
): WebhookSender {
  const { deps } = deliveries
  const underWay = new Map<Promise<void>, string>()
  const slowUntil = new Map<string, number>()
  let stopped = false
  let starting: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  const start = (row: Row, { recipient, ...to }: Destination): void => {
    const began = deps.clock.now().getTime()
    const delivery = deliver(deliveries, row, to)
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'a webhook delivery cannot be recorded'))
      .finally(() => {
        underWay.delete(delivery)
        const now = deps.clock.now().getTime()
        if (now - began >= SLOW_MS) slowUntil.set(recipient, now + SLOW_FOR_MS)
        void round().catch(reportRound)
      })
    underWay.set(delivery, recipient)
  }
  const reportRound = (error: unknown) =>
    deps.logger.warn({ err: error }, 'webhooks that are due cannot be read')
  const startDue = async (): Promise<void> => {
    next = null
    if (stopped) return
    const now = deps.clock.now().getTime()
    for (const [recipient, until] of slowUntil) if (until < now) slowUntil.delete(recipient)
    const slow = [...slowUntil.keys()]
    const busy = [...underWay.values()]
    const slowAtOnce = AT_ONCE_SLOW - busy.filter(recipient => slowUntil.has(recipient)).length
    for (const [those, most] of [
      [sql<boolean>`${deliveries.recipient} <> all(${slow}::text[])`, AT_ONCE],
      [sql<boolean>`${deliveries.recipient} = any(${slow}::text[])`, slowAtOnce],
    ] as const) {
      const limit = Math.min(most, AT_ONCE - underWay.size)
      for (const [row, to] of await claim(deliveries, { limit, those, busy })) start(row, to)
      if (slow.length === 0) return
    }
  }
  const round = (): Promise<void> => (next ??= starting = starting.then(startDue, startDue))
  const idle = async (): Promise<void> => {
    await starting.catch(() => undefined)
    while (underWay.size > 0) {
      await Promise.all(underWay.keys())
      await starting.catch(() => undefined)
    }
  }
  return {
    round,
    idle,
    stop: () => {
      stopped = true
      return idle()
    },
  }
}

interface Room {
  limit: number
  /** Recipients whose deliveries are meant. */
  those: RawBuilder<boolean>
  /** The recipients of the deliveries under way. */
  busy: readonly string[]
}

/**
 * What is due and possible now: of each recipient, with what is under way, at most as many as may be at once. It reads the
 * first of each endpoint, not all that wait.
 */
async function claim<Row extends DeliveryRow, Tables>(
  { deps, table, recipient, destinations }: Deliveries<Row, Tables>,
  { limit, those, busy }: Room,
): Promise<[Row, Destination][]> {
  if (limit <= 0) return []
  const rows = sql.table(table)
  const due = await claimDue<Row, Tables>(deps.database.db, {
    table,
    dueAt: 'next_try_at',
    leaseSeconds: 60,
    limit,
    where: sql`state = 'waiting' and id = any(array(
      with recursive endpoints as (
        (select endpoint_id from ${rows} where state = 'waiting' order by endpoint_id limit 1)
        union all
        select (select endpoint_id from ${rows} where state = 'waiting' and endpoint_id > endpoints.endpoint_id
          order by endpoint_id limit 1)
        from endpoints where endpoint_id is not null)
      select id from (
        select id, recipient, row_number() over (partition by recipient order by next_try_at, id) as place
        from endpoints cross join lateral (
          select id, next_try_at, ${recipient} as recipient from ${rows}
          where state = 'waiting' and endpoint_id = endpoints.endpoint_id and next_try_at <= now() and ${those}
          order by next_try_at, id limit ${AT_ONCE_PER_RECIPIENT}) as first) as ranked
      where place + coalesce(cardinality(array_positions(${busy}::text[], recipient)), 0) <= ${AT_ONCE_PER_RECIPIENT}))`,
    set: sql`attempts = attempts + 1`,
  })
  if (due.length === 0) return []
  const byEndpoint = await destinations(due.map(({ endpoint_id }) => endpoint_id))
  return due.flatMap(row => {
    const to = byEndpoint.get(row.endpoint_id)
    return to ? [[row, to] as [Row, Destination]] : []
  })
}

async function deliver<Row extends DeliveryRow, Tables>(
  { deps, table, body }: Deliveries<Row, Tables>,
  row: Row,
  { url, secret }: Omit<Destination, 'recipient'>,
): Promise<void> {
  const { status, error } = await sendWebhook(deps.outbound, {
    ...{ url, secret, messageId: row.message_id },
    body: body(row),
    now: deps.clock.now(),
  })
  const pause = webhookPause(row.attempts)
  const outcome =
    error === null
      ? sql`state = 'delivered', delivered_at = now()`
      : sql`state = ${pause === null ? 'dead' : 'waiting'}, next_try_at = now() + ${pause ?? 0} * interval '1 second'`
  await sql`
    update ${sql.table(table)} set ${outcome}, last_status = ${status}, last_error = ${error}
    where id = ${row.id}`.execute(deps.database.db)
}
