import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from './client-address.ts'
import { Problem } from './problem.ts'

/** At most `points` in `seconds` for each key. IPv6 addresses count by their network. */
export interface Rate {
  /** Takes one; `null` when it was there, else the seconds to wait. */
  take(key: string): Promise<number | null>
  /** Takes one or throws `too-many-requests` with `Retry-After`. */
  demand(key: string): Promise<void>
}

/** A rate held in Postgres (`rate_limits`), so that every process counts alike. Its table is in the shared migrations. */
export function createRate(pool: pg.Pool, name: string, points: number, seconds: number): Rate {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: seconds,
  })
  const take = async (key: string): Promise<number | null> => {
    try {
      await limiter.consume(clientNetwork(key))
      return null
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw refusal
    }
  }
  return {
    take,
    async demand(key) {
      const wait = await take(key)
      if (wait === null) return
      throw new Problem('too-many-requests', `Too many requests. Try again in ${wait} s.`, {
        headers: { 'retry-after': String(wait) },
      })
    },
  }
}

/** Removes rates whose window has ended. The limiter writes them in this process' milliseconds. */
export async function pruneRates(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query('delete from rate_limits where expire < $1', [now.getTime()])
}
