import type { Clock } from '@windlass/service/clock.ts'
import type { Database } from '@windlass/service/database.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Tables } from './database.ts'
import { keepDayPartitions } from './day-partitions.ts'
import { pruneQuotes } from './quotes/queries.ts'

const EVERY_MS = 3_600_000
const KEEP_QUOTES_MS = 30 * 86_400_000

/** Makes room ahead and prunes what is old: now and every hour. */
export async function startHousekeeping(
  database: Database<Tables>,
  clock: Clock,
  logger: FastifyBaseLogger,
): Promise<{ stop(): void }> {
  const keep = async (): Promise<void> => {
    await keepDayPartitions(database.pool, clock.now())
    await pruneQuotes(database.db, new Date(clock.now().getTime() - KEEP_QUOTES_MS))
    await database.pool.query(`delete from idempotency_keys where started_at < now() - interval '24 hours'`)
  }
  await keep()
  const timer = setInterval(() => {
    keep().catch(error => logger.error({ err: error }, 'housekeeping failed'))
  }, EVERY_MS)
  return { stop: () => clearInterval(timer) }
}
