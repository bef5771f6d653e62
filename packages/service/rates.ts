import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from './client-address.ts'
import { Problem } from './problem.ts'

/** At most `points` in `seconds` for each key. IPv6 addresses count by their network. */
export interface Rate {
  /** Takes one; `null` when it was there, else the seconds to wait. */
  take(key: string): Promise<number | null>
  /**
   * Takes one or throws `too-many-requests` with `Retry-After`. Says what is left in the `RateLimit` headers of the
   * refusal, and of `reply`.
   */
  demand(key: string, reply?: Answering): Promise<void>
}

interface Answering {
  header(name: string, value: string): unknown
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
  const consume = async (key: string): Promise<{ isRefused: boolean; left: number; wait: number }> => {
    try {
      return { isRefused: false, ...stateOf(await limiter.consume(clientNetwork(key))) }
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return { isRefused: true, ...stateOf(refusal) }
      throw refusal
    }
  }
  return {
    async take(key) {
      const { isRefused, wait } = await consume(key)
      return isRefused ? wait : null
    },
    async demand(key, reply) {
      const { isRefused, left, wait } = await consume(key)
      const headers = {
        ratelimit: `"${name}";r=${left};t=${wait}`,
        'ratelimit-policy': `"${name}";q=${points};w=${seconds}`,
      }
      if (reply) for (const [header, value] of Object.entries(headers)) reply.header(header, value)
      if (!isRefused) return
      throw new Problem('too-many-requests', `Too many requests. Try again in ${wait} s.`, {
        headers: { ...headers, 'retry-after': String(wait) },
      })
    },
  }
}

const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
  left: Math.max(0, remainingPoints),
  wait: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

/** Removes rates whose window has ended. The limiter writes them in this process' milliseconds. */
export async function pruneRates(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query('delete from rate_limits where expire < $1', [now.getTime()])
}
