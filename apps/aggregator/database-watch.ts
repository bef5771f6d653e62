import type { Clock } from '@windlass/service/clock.ts'
import { isOutage } from '@windlass/service/render-problem.ts'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'

/** Whether the database answers, and what time it is there: what several machines agree on. */
export interface DatabaseWatch {
  readonly up: boolean
  readonly clock: Clock
  /**
   * Whether the database has answered all along since a moment of `performance.now()`. While it is thought to be there
   * this waits for its next answer, a second or so: who notices an outage first is not always the watch.
   */
  steadySince(moment: number): Promise<boolean>
  /** What a query reads, or null where the database is out of reach: then memory has to do. */
  read<T>(query: () => Promise<T>): Promise<T | null>
  stop(): void
}

const EVERY_MS = 1_000
const ANSWER_WITHIN_MS = 2_000
/** Silent for so long, its connections are dropped: whoever waits on one hears of it and new ones are made. */
const DROP_AFTER_MS = 5_000

class Late extends Error {}

/**
 * Asks the database for its time every second. `clock` is ours corrected by the difference, so that a machine whose
 * clock is off dates its checks and quotes like the others.
 */
export async function watchDatabase(
  pool: pg.Pool,
  local: Clock,
  logger: FastifyBaseLogger,
): Promise<DatabaseWatch> {
  let up = false
  let answeredAt = performance.now()
  let offset = 0
  let timer: NodeJS.Timeout | undefined
  let failedAt = -Infinity
  let stopped = false
  let next = Promise.withResolvers<void>()
  const connections = connectionsOf(pool)

  const ask = async (): Promise<void> => {
    const before = local.now().getTime()
    const asked = next
    next = Promise.withResolvers()
    try {
      const { rows } = await inTime(pool.query<{ now: Date }>('select clock_timestamp() as now'))
      const after = local.now().getTime()
      const [row] = rows
      if (row) offset = smooth(offset, row.now.getTime() - (before + after) / 2)
      if (!up) logger.info('the database answers')
      up = true
      answeredAt = performance.now()
    } catch (error) {
      if (up) logger.warn({ err: error }, 'the database does not answer; serving from memory')
      up = false
      failedAt = performance.now()
      if (performance.now() - answeredAt > DROP_AFTER_MS) drop(connections)
    }
    asked.resolve()
    if (!stopped) timer = setTimeout(() => void ask(), EVERY_MS)
  }
  await ask()
  return {
    get up() {
      return up
    },
    clock: { now: () => new Date(local.now().getTime() + offset) },
    steadySince: async moment => {
      if (up && !stopped) await next.promise
      return up && failedAt < moment
    },
    read: async query => {
      if (!up) return null
      try {
        return await inTime(query())
      } catch (error) {
        if (error instanceof Late || isOutage(error)) return null
        throw error
      }
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
      next.resolve()
    },
  }
}

// A difference this small is the way there and back: following it would make time jitter.
const smooth = (known: number, measured: number) =>
  Math.abs(measured - known) < 250 ? known : Math.round(measured)

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Late('timed out')), ANSWER_WITHIN_MS)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

function connectionsOf(pool: pg.Pool): Set<pg.PoolClient> {
  const connections = new Set<pg.PoolClient>()
  pool.on('connect', client => connections.add(client))
  pool.on('remove', client => connections.delete(client))
  return connections
}

/** Without a goodbye, which would wait for a dead peer. */
function drop(connections: Set<pg.PoolClient>): void {
  for (const client of connections) client.connection.stream.destroy()
}
