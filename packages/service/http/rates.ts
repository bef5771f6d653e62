import type pg from 'pg'
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import { clientNetwork } from './client-address.ts'
import { Problem } from './problem.ts'
import { showLimit } from '../observe/request-context.ts'

/** At most `points` in `seconds` for each key. IPv6 addresses count by their network. */
export interface Rate {
  /** Takes one; `null` when it was there, else the seconds to wait. */
  take(key: string): Promise<number | null>
  /** Takes one, or as many, or throws `too-many-requests` with `Retry-After`. The answer shows what is left (`RateLimit`). */
  demand(key: string, count?: number): Promise<void>
  /** The same; the answer shows the limit only where it is reached. */
  demandQuietly(key: string): Promise<void>
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
  return rateOf(limiter, name, points, seconds)
}

/** A rate of this process alone, for requests that cost less than a write to the database would. */
export function createMemoryRate(name: string, points: number, seconds: number): Rate {
  return rateOf(new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }), name, points, seconds)
}

function rateOf(limiter: RateLimiterAbstract, name: string, points: number, seconds: number): Rate {
  /** What is left, and the seconds until the window ends; `null` left: there was none. */
  const consume = async (key: string, count = 1): Promise<{ left: number | null; wait: number }> => {
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(clientNetwork(key), count)
      return { left: remainingPoints, wait: toSeconds(msBeforeNext) }
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return { left: null, wait: toSeconds(refusal.msBeforeNext) }
      throw refusal
    }
  }
  return {
    async take(key) {
      const { left, wait } = await consume(key)
      return left === null ? wait : null
    },
    async demand(key, count) {
      const { left, wait } = await consume(key, count)
      showLimit(name, points, seconds, left ?? 0, wait)
      if (left === null) throw tooMany(wait)
    },
    async demandQuietly(key) {
      const { left, wait } = await consume(key)
      if (left !== null) return
      showLimit(name, points, seconds, 0, wait)
      throw tooMany(wait)
    },
  }
}

const tooMany = (wait: number) =>
  new Problem('too-many-requests', `Too many requests. Try again in ${wait} s.`, {
    headers: { 'retry-after': String(wait) },
  })

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** Removes rates whose window has ended. The limiter writes them in this process' milliseconds. */
export async function pruneRates(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query('delete from rate_limits where expire < $1', [now.getTime()])
}
