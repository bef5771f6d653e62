import { CompiledQuery } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import type { Database, Db } from '../postgres/database.ts'
import { listen } from '../postgres/listen.ts'
import { createOutage } from '../observe/outage.ts'
import { continueFrom, currentOrigin, outsideRequests } from '../observe/request-context.ts'
import type { SealedColumn } from '../seals/seal-again.ts'
import type { Sealer } from '../seals/seal.ts'
import { refusalOf } from './refusals.ts'
import {
  markDelivered,
  nextDelivery,
  planAgain,
  prune,
  putOff,
  take,
  tryRefusedAgain,
  type OutboxRow,
} from './outbox-rows.ts'

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
/** Until the next look after one that failed, and while what is due has no room. */
const PAUSE_MS = 1_000

/**
 * Delivers messages at least once, oldest first, those with a lane before any that failed; several processes share the
 * work. Wakes on NOTIFY, when the next message is due, and every 30 s. Delivered messages are removed after 30 days.
 * `stop()` waits for the deliveries under way, `drain()` until nothing is due.
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

  const begin = (row: OutboxRow): void => {
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

function leave(lanes: Map<string, number>, lane: string): void {
  const count = (lanes.get(lane) ?? 1) - 1
  if (count > 0) lanes.set(lane, count)
  else lanes.delete(lane)
}

/** Whether it was delivered. */
async function deliverOne<T>(options: OutboxOptions<T>, row: OutboxRow): Promise<boolean> {
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
  await markDelivered(db, row)
  return true
}

async function inTime(delivery: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not delivered within ${milliseconds} ms`)), milliseconds)
  await Promise.race([delivery, late]).finally(() => clearTimeout(timer))
}

function payloadOf(row: OutboxRow, sealer: Sealer | undefined): unknown {
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
