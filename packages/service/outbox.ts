import { CompiledQuery, type Kysely } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import { type Db, notify } from './database.ts'
import { listen } from './listen.ts'
import type { Sealer } from './seal.ts'

/** A message as its deliverer sees it. `key` is stable over attempts: the far side drops repeats by it. */
export interface OutboxMessage {
  id: string
  key: string
  payload: unknown
  attempt: number
}

/** Delivers one message; a throw means that it is tried again later. Runs outside any transaction. */
export type Deliver = (message: OutboxMessage) => Promise<void>

/**
 * Writes a message in the caller's transaction. A second one with the same topic and key is dropped.
 * With `sealer` the payload is stored encrypted and wiped once it is delivered.
 */
export async function enqueue<T>(
  tx: Db<T>,
  topic: string,
  key: string,
  payload: unknown,
  sealer?: Sealer,
): Promise<void> {
  const text = JSON.stringify(payload)
  await tx.executeQuery(
    CompiledQuery.raw(
      'insert into outbox (topic, key, payload, sealed) values ($1, $2, $3, $4) on conflict (topic, key) do nothing',
      [topic, key, sealer ? null : text, sealer ? sealer.seal(text, `outbox:${topic}:${key}`) : null],
    ),
  )
  await notify(tx, 'outbox', topic)
}

export interface OutboxOptions<T = never> {
  database: { db: Kysely<T>; url: string }
  deliver: Record<string, Deliver>
  logger: FastifyBaseLogger
  sealer?: Sealer
  /** Milliseconds until attempt n + 1; from 1 s doubling to 60 s, with jitter, unless told. */
  backoff?: (attempt: number) => number
}

interface Row {
  id: string
  topic: string
  key: string
  payload: unknown
  sealed: Buffer | null
  attempts: number
}

// A message taken but not finished (a crash) is due again after this long.
const LEASE = "interval '30 seconds'"

/**
 * Delivers messages at least once, oldest first, several processes side by side. Wakes on NOTIFY and each
 * second besides. `stop()` waits for the deliveries under way.
 */
export function startOutbox<T>(options: OutboxOptions<T>): { stop(): Promise<void>; drain(): Promise<void> } {
  const topics = Object.keys(options.deliver)
  const { db } = options.database
  let stopped = false
  let again = false
  let running: Promise<void> | null = null

  const round = async (): Promise<void> => {
    do {
      again = false
      let rows: Row[]
      do {
        rows = await take(db, topics)
        await Promise.all(rows.map(row => deliverOne(options, row)))
      } while (rows.length > 0 && !stopped)
    } while (again && !stopped)
  }
  const wake = (): void => {
    if (stopped) return
    again = true
    running ??= round()
      .catch(error => options.logger.warn({ err: error }, 'outbox round failed'))
      .finally(() => (running = null))
  }
  const timer = setInterval(wake, 1_000)
  const listening = listen(options.database.url, ['outbox'], wake, options.logger)
  wake()
  return {
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await listening.stop()
      await running
    },
    drain: async () => {
      wake()
      while (running) await running
    },
  }
}

async function take<T>(db: Kysely<T>, topics: string[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(
      `update outbox set next_at = now() + ${LEASE}, attempts = attempts + 1
       where id in (
         select id from outbox where delivered_at is null and next_at <= now() and topic = any($1)
         order by id limit 10 for update skip locked)
       returning id, topic, key, payload, sealed, attempts`,
      [topics],
    ),
  )
  return rows
}

async function deliverOne<T>(options: OutboxOptions<T>, row: Row): Promise<void> {
  const { db } = options.database
  try {
    const deliver = options.deliver[row.topic]
    if (!deliver) throw new Error(`nobody delivers ${row.topic}`)
    await deliver({
      id: row.id,
      key: row.key,
      payload: payloadOf(row, options.sealer),
      attempt: row.attempts,
    })
    await db.executeQuery(
      CompiledQuery.raw(
        'update outbox set delivered_at = now(), sealed = null, last_error = null where id = $1',
        [row.id],
      ),
    )
  } catch (error) {
    const wait = (options.backoff ?? defaultBackoff)(row.attempts)
    options.logger.warn(
      { topic: row.topic, key: row.key, attempt: row.attempts, err: error },
      'delivery failed',
    )
    await db.executeQuery(
      CompiledQuery.raw(
        "update outbox set next_at = now() + $2 * interval '1 millisecond', last_error = $3 where id = $1",
        [row.id, wait, (error as Error).message.slice(0, 500)],
      ),
    )
  }
}

function payloadOf(row: Row, sealer: Sealer | undefined): unknown {
  if (row.sealed === null) return row.payload
  if (!sealer) throw new Error(`${row.topic} is sealed and this process has no key`)
  return JSON.parse(sealer.open(row.sealed, `outbox:${row.topic}:${row.key}`))
}

function defaultBackoff(attempt: number): number {
  const ceiling = Math.min(60_000, 1_000 * 2 ** Math.min(attempt - 1, 10))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}
