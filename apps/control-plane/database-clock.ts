import type { Clock } from '@windlass/service/clock.ts'
import { databaseTime } from '@windlass/service/database.ts'
import type { Kysely } from 'kysely'

const LOOK_EVERY_MS = 60_000

/**
 * The time of the database, which all control planes agree on whatever their machines' clocks say. Compared with the
 * monotonic clock once a minute; a database that is away is trusted as it was last.
 */
export async function startDatabaseClock<T>(db: Kysely<T>): Promise<Clock & { stop(): void }> {
  const compare = async (): Promise<number> => {
    const asked = performance.now()
    const time = await databaseTime(db)
    return time.getTime() - (asked + performance.now()) / 2
  }
  let offset = await compare()
  const timer = setInterval(() => {
    compare().then(
      found => (offset = found),
      () => undefined,
    )
  }, LOOK_EVERY_MS)
  return { now: () => new Date(performance.now() + offset), stop: () => clearInterval(timer) }
}
