import type { Clock } from '@windlass/service/clock.ts'
import { databaseTime } from '@windlass/service/database.ts'
import type { Kysely } from 'kysely'

/** The time of the database, which all control planes agree on whatever their machines' clocks say. */
export interface DatabaseClock extends Clock {
  /** Asks the database for its time. Until then, and while the database is down, the last known offset holds. */
  compare(): Promise<void>
}

export function createDatabaseClock<T>(db: Kysely<T>): DatabaseClock {
  let offset = Date.now() - performance.now()
  return {
    now: () => new Date(performance.now() + offset),
    compare: async () => {
      const asked = performance.now()
      const time = await databaseTime(db)
      offset = time.getTime() - (asked + performance.now()) / 2
    },
  }
}
