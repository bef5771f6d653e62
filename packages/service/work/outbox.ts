import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import type { Database, Db } from '../postgres/database.ts'
import { listen } from '../postgres/listen.ts'
import { createOutage } from '../observe/outage.ts'
import type { Origin } from '../observe/current-request.ts'
import { continueFrom, currentOrigin, outsideRequests } from '../observe/request-context.ts'
import type { SealedColumn } from '../seals/seal-again.ts'
import type { Sealer } from '../seals/seal.ts'
import { refusalOf } from './refusals.ts'

/** A message as its deliverer sees it. `key` is stable over attempts: the far side drops repeats by it. */
export interface OutboxMessage {
  id: string
  key: string
  payload: unknown
  attempt: number
}

/**
 * Delivers one message; a throw, or no end within 25 s, means that it is tried again later. Runs outside any
 * transaction.
 */
export type Deliver = (message: OutboxMessage) => Promise<void>

/**
 * Writes a message in the caller's transaction. A second one with the same topic and key is dropped. The payload is
 * wiped once it is delivered; with `sealer` it is stored encrypted until then. Of those with the same `lane`, such as a
 * stranger's host, only a few are under way at a time.
 */
export async function enqueue<T>(
  tx: Db<T>,
  topic: string,
  key: string,
  payload: unknown,
  sealer?: Sealer,
  lane?: string,
): Promise<void> {
  const text = JSON.stringify(payload)
  const origin = currentOrigin()
  await tx.executeQuery(
    CompiledQuery.raw(
      `insert into outbox (topic, key, payload, sealed, lane, origin) values ($1, $2, $3, $4, $5, $6)
        on conflict (topic, key) do nothing returning pg_notify('outbox', $1)`,
      [
        topic,
        key,
        sealer ? null : text,
        sealer ? sealer.seal(text, contextOf({ topic, key })) : null,
        lane ?? null,
        origin && JSON.stringify(origin),
      ],
    ),
  )
}

const contextOf = ({ topic, key }: { topic?: string; key?: string }) => `outbox:${topic}:${key}`

/** Payloads that were enqueued with a sealer and are not delivered yet. */
export const sealedMessages: SealedColumn = {
  table: 'outbox',
  column: 'sealed',
  key: ['topic', 'key'],
  contextOf,
}

/** Whether a message of the topic whose payload contains `match` is not delivered yet. */
export async function isPending<T>(db: Db<T>, topic: string, match: object): Promise<boolean> {
  const { rows } = await db.executeQuery(
    CompiledQuery.raw(
      'select from outbox where topic = $1 and delivered_at is null and payload @> $2::jsonb limit 1',
      [topic, JSON.stringify(match)],
    ),
  )
  return rows.length > 0
}

export interface OutboxOptions<T = never> {
  /** Its connections listen to the channel `outbox`, or one more connection does. */
  database: Pick<Database<T>, 'db' | 'url' | 'channels' | 'notifications'>
  deliver: Record<string, Deliver>
  logger: FastifyBaseLogger
  sealer?: Sealer
  /** Milliseconds until attempt n + 1; from 1 s doubling to 60 s (10 min after 20 attempts), with jitter, by default. */
  backoff?: (attempt: number) => number
  /** Deliveries of a topic at a time; by default 5. */
  atOnce?: Readonly<Record<string, number>>
  /** Milliseconds a delivery may take, by default 25,000; less than the 30 s for which a message is leased. */
  within?: number
  /** Whether it looks for messages itself, the default; else others call `drain` when {@link outboxDueAt} comes. */
  looks?: boolean
}

interface Row {
  id: string
  topic: string
  key: string
  payload: unknown
  sealed: Buffer | null
  attempts: number
  lane: string | null
  origin: Origin | null
}

// A message taken but not finished (a crash) is due again after this long.
const LEASE = "interval '30 seconds'"
/** Surely in no delivery: one that is may have been sent, and would be sent twice. */
export const NOT_LEASED = `next_at > now() + ${LEASE}`
const WITHIN_MS = 25_000
/** By then an answer is no moment's, such as of a recipient that is restored. */
const REFUSED_AFTER = 6
/** One that is refused takes no turn of the others. A repaired recipient gets it soon. */
const REFUSED_WAIT_MS = 600_000
// A topic whose recipient is slow or down leaves room for the others.
const AT_ONCE_PER_TOPIC = 5
const AT_ONCE_PER_LANE = 4
const PRUNE_EVERY_MS = 3_600_000
/** A server of an anchor that sleeps may never run for an hour. */
const FIRST_PRUNE_MS = 10_000
/** A notification can be lost. */
const LOOK_EVERY_MS = 30_000
/** Longer than any pause: what is planned later was planned by a clock that has been set back since. */
const LONGEST_MS = 1_200_000
/** Not the first alone: another one that waits, such as for its lease, would hide it. */
const IS_PLANNED_LATER = `max(next_at) > now() + ${LONGEST_MS} * interval '1 millisecond'`
/** Until the next look after one that failed, and while what is due has no room. */
const PAUSE_MS = 1_000

/**
 * Delivers messages at least once, oldest first, those with a lane before any that failed; several processes share the
 * work. Wakes on NOTIFY, when the next message is due, and every 30 s. Delivered messages are removed after 30 days. `stop()` waits for the deliveries
 * under way, `drain()` until nothing is due.
 *
 * A message that a service of ours refuses whenever it comes has a code, is published (`outbox-metrics.ts`) and is tried every
 * ten minutes, and at each start: what was wrong may be repaired.
 */
export function startOutbox<T>(options: OutboxOptions<T>): { stop(): Promise<void>; drain(): Promise<void> } {
  const { looks = true, database } = options
  const { db } = database
  const topics = Object.keys(options.deliver)
  const underWay = new Map(topics.map(topic => [topic, new Set<Promise<void>>()]))
  const lanes = new Map<string, number>()
  const behind = new Map<string, string>()
  const unreadable = createOutage(options.logger, 'the outbox cannot be read')
  const atOnce = (topic: string) => options.atOnce?.[topic] ?? AT_ONCE_PER_TOPIC
  let stopped = false
  let again = false
  /** Whether the last look left messages that are due, for which there was no room. */
  let isFull = false
  let taking: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const begin = (row: Row): void => {
    const busy = underWay.get(row.topic)
    if (row.lane !== null) lanes.set(row.lane, (lanes.get(row.lane) ?? 0) + 1)
    const delivery = deliverOne(options, row)
      .catch(error => void options.logger.warn({ err: error }, 'the outbox cannot be written'))
      .then(isDelivered => {
        busy?.delete(delivery)
        if (row.lane !== null) leave(lanes, row.lane)
        // Else nothing waited for its place.
        if (isFull || !isDelivered) wake()
      })
    busy?.add(delivery)
  }
  const round = async (): Promise<void> => {
    do {
      again = false
      isFull = true
      const free = topics.map(topic => atOnce(topic) - (underWay.get(topic)?.size ?? 0))
      if (free.some(count => count > 0)) {
        const full = [...lanes].flatMap(([lane, count]) => (count < AT_ONCE_PER_LANE ? [] : [lane]))
        const rows = await take(db, topics, free, full, behind)
        rows.forEach(begin)
        // One of each lane at a time, and some lanes: there may be more.
        const isFilled = (topic: string, index: number) =>
          rows.filter(row => row.topic === topic).length >= (free[index] ?? 0)
        if (rows.some(({ lane }) => lane !== null)) again = true
        if (topics.some((topic, index) => behind.get(topic) && !isFilled(topic, index))) again = true
        isFull = topics.some(isFilled) || [...lanes.values()].some(count => count >= AT_ONCE_PER_LANE)
      }
      unreadable.over()
    } while (again && !stopped)
    const { milliseconds, isPlannedLater } = await nextDelivery(db, topics)
    if (isPlannedLater) await planAgain(db, topics)
    wakeAfter(milliseconds)
  }
  /** One query where nothing is due, which is most of the time. */
  const look = async (): Promise<void> => {
    const { milliseconds } = await nextDelivery(db, topics)
    if (milliseconds !== null && milliseconds <= 0) return round()
    unreadable.over()
    wakeAfter(milliseconds)
  }
  const wakeAfter = (milliseconds: number | null): void => {
    clearTimeout(timer)
    if (stopped) return
    const due = milliseconds === null || milliseconds > 0 ? milliseconds : PAUSE_MS
    if (due !== null && due <= LOOK_EVERY_MS) timer = setTimeout(wake, Math.ceil(due))
    else if (looks) timer = setTimeout(run, LOOK_EVERY_MS, look)
  }
  const wake = (): void => {
    if (stopped) return
    again = true
    run(round)
  }
  const run = (act: () => Promise<void>): void => {
    taking ??= outsideRequests(act)
      .catch(error => {
        again = false
        unreadable.met(error)
        wakeAfter(PAUSE_MS)
      })
      .finally(() => {
        taking = null
        // Woken after the last look, while the time of the next one was read.
        if (again) wake()
      })
  }
  const idle = async (): Promise<void> => {
    for (;;) {
      const busy = [taking, ...[...underWay.values()].flatMap(set => [...set])].filter(Boolean)
      if (busy.length === 0) return
      await Promise.all(busy)
    }
  }
  const pruneOld = () => void prune(db, topics).catch(() => undefined)
  const pruning = [setTimeout(pruneOld, FIRST_PRUNE_MS), setInterval(pruneOld, PRUNE_EVERY_MS)]
  const listening = looks ? listenOn(options.database, wake, options.logger) : null
  if (looks)
    void tryRefusedAgain(db, topics)
      .catch(error => unreadable.met(error))
      .finally(wake)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      for (const timer of pruning) clearInterval(timer)
      await listening?.stop()
      await idle()
    },
    drain: async () => {
      wake()
      await idle()
    },
  }
}

function listenOn<T>(
  { url, channels, notifications }: OutboxOptions<T>['database'],
  wake: () => void,
  logger: FastifyBaseLogger,
): { stop(): Promise<void> } {
  if (!channels.includes('outbox')) return listen(url, ['outbox'], wake, logger)
  notifications.on('received', wake)
  return { stop: async () => void notifications.off('received', wake) }
}

/** When the first message that is not delivered is due, or its lease ends; null: there is none. */
export const outboxDueAt = (topics: readonly string[]): RawBuilder<Date | null> =>
  sql<Date | null>`
    (select case when ${sql.raw(IS_PLANNED_LATER)} then now() else min(next_at) end
      from outbox where delivered_at is null and topic = any(${[...topics]}))`

/** Until the first message that is not delivered is due, or its lease ends; null: there is none. */
export const millisecondsUntilDelivery = async <T>(
  db: Kysely<T>,
  topics: readonly string[],
): Promise<number | null> => (await nextDelivery(db, topics)).milliseconds

/** `isPlannedLater`: some are planned later than any pause, and are due now. */
async function nextDelivery<T>(
  db: Kysely<T>,
  topics: readonly string[],
): Promise<{ milliseconds: number | null; isPlannedLater: boolean }> {
  const { rows } = await db.executeQuery<{ ms: number | null; later: boolean | null }>(
    CompiledQuery.raw(
      `select (extract(epoch from min(next_at) - now()) * 1000)::float8 as ms, ${IS_PLANNED_LATER} as later
       from outbox where delivered_at is null and topic = any($1)`,
      [[...topics]],
    ),
  )
  const isPlannedLater = rows[0]?.later ?? false
  return { milliseconds: isPlannedLater ? 0 : (rows[0]?.ms ?? null), isPlannedLater }
}

function leave(lanes: Map<string, number>, lane: string): void {
  const count = (lanes.get(lane) ?? 1) - 1
  if (count > 0) lanes.set(lane, count)
  else lanes.delete(lane)
}

/** Lanes that one take looks at; where a topic has more, the next take continues behind them. */
const LANES_A_TAKE = 200

/**
 * Leases the oldest messages that are due: of each topic as many as it has room for, of each lane one. It reads the first
 * of each, not all that wait.
 *
 * @param behind by topic, the lane behind which it looks; changed to where the next take continues.
 */
async function take<T>(
  db: Kysely<T>,
  topics: string[],
  free: number[],
  fullLanes: string[],
  behind: Map<string, string>,
): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row & { ends: Record<string, string> | null }>(
    CompiledQuery.raw(
      `with recursive
       room as (select * from unnest($1::text[], $2::int[], $4::text[]) as given(topic, free, behind) where free > 0),
       lanes(topic, lane, place) as (
         select topic, (select coalesce(lane, '') from outbox
           where delivered_at is null and topic = room.topic and coalesce(lane, '') > room.behind
           order by coalesce(lane, '') limit 1), 1
         from room
         union all
         select topic, (select coalesce(lane, '') from outbox
           where delivered_at is null and topic = lanes.topic and coalesce(lane, '') > lanes.lane
           order by coalesce(lane, '') limit 1), place + 1
         from lanes where lane is not null and place < ${LANES_A_TAKE}),
       taken as (
         update outbox set next_at = now() + ${LEASE}, attempts = attempts + 1
         where id = any(array(
           select id from outbox where delivered_at is null and next_at <= now() and id = any(array(
             select due.id from room cross join lateral (
               select * from (
                 select id, 0 as tried, next_at from outbox
                 where delivered_at is null and topic = room.topic and coalesce(lane, '') = '' and next_at <= now()
                 order by next_at, id limit room.free for update skip locked) alone
               union all
               select of_lane.* from lanes cross join lateral (
                 select id, least(attempts, 1) as tried, next_at from outbox
                 where delivered_at is null and topic = room.topic and coalesce(lane, '') = lanes.lane
                   and next_at <= now()
                 order by next_at, id limit 1) of_lane
               where lanes.topic = room.topic and lanes.lane <> all($3::text[])
               order by tried, next_at, id limit room.free) due))
           for update skip locked))
         returning id, topic, key, payload, sealed, attempts, lane, origin)
       select taken.*, ends.ends
       from (select json_object_agg(topic, lane) as ends from lanes where place = ${LANES_A_TAKE}
         and lane is not null) ends
       left join taken on true`,
      [topics, free, fullLanes, topics.map(topic => behind.get(topic) ?? '')],
    ),
  )
  topics.forEach((topic, index) => {
    if ((free[index] ?? 0) > 0) behind.set(topic, rows[0]?.ends?.[topic] ?? '')
  })
  const taken = rows.filter(({ id }) => id !== null)
  return taken.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
}

/** Whether it was delivered. */
async function deliverOne<T>(options: OutboxOptions<T>, row: Row): Promise<boolean> {
  const { db } = options.database
  try {
    const deliver = options.deliver[row.topic]
    if (!deliver) throw new Error(`no handler for the topic ${row.topic}`)
    const payload = payloadOf(row, options.sealer)
    const message = { id: row.id, key: row.key, payload, attempt: row.attempts }
    const delivery = continueFrom(row.origin, `deliver ${row.topic}`, () => deliver(message))
    await inTime(delivery, options.within ?? WITHIN_MS)
  } catch (error) {
    // Strangers' servers answer as they like; who owns them looks after them.
    const refused = row.lane === null && row.attempts >= REFUSED_AFTER ? refusalOf(error) : null
    const wait = refused ? REFUSED_WAIT_MS : (options.backoff ?? defaultBackoff)(row.attempts)
    const { topic, key, attempts } = row
    const { requestId } = row.origin ?? {}
    options.logger.warn({ topic, key, attempt: attempts, refused, requestId, err: error }, 'delivery failed')
    await putOff(db, row, wait, { reason: (error as Error).message, refused })
    return false
  }
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set delivered_at = now(), payload = null, sealed = null, last_error = null,
         refused_code = null, refused_at = null where id = $1`,
      [row.id],
    ),
  )
  return true
}

/** The result of an attempt whose lease ran out is ignored: another attempt has taken over. */
async function putOff<T>(
  db: Kysely<T>,
  row: Row,
  wait: number,
  { reason, refused }: { reason: string; refused: string | null },
): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now() + $3 * interval '1 millisecond', last_error = $4, refused_code = $5,
         refused_at = case when $5::text is null then null else coalesce(refused_at, now()) end
       where id = $1 and attempts = $2 and delivered_at is null`,
      [row.id, row.attempts, wait, reason.slice(0, 500), refused],
    ),
  )
}

async function tryRefusedAgain<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now()
       where refused_at is not null and delivered_at is null and topic = any($1) and ${NOT_LEASED}`,
      [topics],
    ),
  )
}

async function planAgain<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now() where delivered_at is null and topic = any($1)
         and next_at > now() + $2 * interval '1 millisecond'`,
      [topics, LONGEST_MS],
    ),
  )
}

async function inTime(delivery: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not delivered within ${milliseconds} ms`)), milliseconds)
  await Promise.race([delivery, late]).finally(() => clearTimeout(timer))
}

async function prune<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      "delete from outbox where delivered_at < now() - interval '30 days' and topic = any($1)",
      [topics],
    ),
  )
}

function payloadOf(row: Row, sealer: Sealer | undefined): unknown {
  if (row.sealed === null) return row.payload
  if (!sealer) throw new Error(`${row.topic} is sealed and this process has no key`)
  return JSON.parse(sealer.open(row.sealed, contextOf(row)))
}

/**
 * Milliseconds until the attempt after this one: an outage is noticed as over within a minute; what still fails after
 * 20 attempts is tried less often.
 */
export function defaultBackoff(attempt: number): number {
  const longest = attempt > 20 ? 600_000 : 60_000
  const ceiling = Math.min(longest, 1_000 * 2 ** Math.min(attempt - 1, 10))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}
