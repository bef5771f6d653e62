import type { Clock } from '@windlass/service/work/clock.ts'
import { loop } from '@windlass/service/work/loop.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { type Database, openDatabase } from '@windlass/service/postgres/database.ts'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'

/** Whether the database answers, and its time, on which several machines agree. */
export interface DatabaseWatch {
  readonly up: boolean
  readonly clock: Clock
  /**
   * Whether the database has answered all the time since a moment of `performance.now()`. While it seems up this waits
   * for its next answer, about a second: others may notice an outage before the watch does.
   */
  steadySince(moment: number): Promise<boolean>
  /** The result of a query, or null while the database is away: the caller then uses memory. */
  read<T>(query: () => Promise<T>): Promise<T | null>
  stop(): Promise<void>
}

const EVERY_MS = 1_000
/** After this silence the service's connections are dropped: callers that wait on one get an error, and new ones are opened. */
const DROP_AFTER_MS = 5_000

class Late extends Error {}

/**
 * Asks the database for its time every second, on a connection of its own: who waits for one of the service's waits for
 * others, and the database may be well. `clock` is ours corrected by the difference, so that a machine whose
 * clock is off dates its checks and quotes like the others. A query that takes longer than `answersWithinMs` counts as
 * unanswered.
 */
export async function watchDatabase(
  { pool, url }: Pick<Database<never>, 'pool' | 'url'>,
  local: Clock,
  logger: FastifyBaseLogger,
  answersWithinMs: number,
): Promise<DatabaseWatch> {
  let up = false
  let answeredAt = performance.now()
  let offset = 0
  let failedAt = -Infinity
  let stopped = false
  let next = Promise.withResolvers<void>()
  const connections = connectionsOf(pool)
  const own = openDatabase<never>(url, { name: 'aggregator watch', max: 1 })
  const ownConnections = connectionsOf(own.pool)

  const ask = async (): Promise<void> => {
    const before = local.now().getTime()
    const asked = next
    next = Promise.withResolvers()
    try {
      const { rows } = await inTime(
        own.pool.query<{ now: Date }>('select clock_timestamp() as now'),
        answersWithinMs,
      )
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
      drop(ownConnections)
      if (performance.now() - answeredAt > DROP_AFTER_MS) drop(connections)
    }
    asked.resolve()
  }
  await ask()
  const asking = loop({ name: 'database watch', act: ask, everyMs: EVERY_MS, startNow: false, logger })
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
        return await inTime(query(), answersWithinMs)
      } catch (error) {
        if (error instanceof Late || failedForNow(error)) return null
        throw error
      }
    },
    async stop() {
      stopped = true
      next.resolve()
      await asking.stop()
      await own.close()
    },
  }
}

// A difference this small is the round trip: following it would make time jitter.
const smooth = (known: number, measured: number) =>
  Math.abs(measured - known) < 250 ? known : Math.round(measured)

async function inTime<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Late('timed out')), withinMs)
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

/** Without the closing handshake, which would wait for a dead peer. */
function drop(connections: Set<pg.PoolClient>): void {
  for (const client of connections) client.connection.stream.destroy()
}
