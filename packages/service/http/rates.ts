import type pg from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
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

/**
 * A rate held in Postgres (`rate_limits`), so that every process counts alike. Its table is in the shared migrations.
 *
 * @param counts `in blocks`: a key that asks often is counted some points ahead, so that most of its requests need no
 *   statement. No process lets more through; what is counted ahead is lost to a process that ends.
 */
export function createRate(
  pool: pg.Pool,
  name: string,
  points: number,
  seconds: number,
  counts: 'each' | 'in blocks' = 'each',
): Rate {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: seconds,
  })
  return rateOf(counts === 'each' ? limiter : inBlocks(limiter, points), name, points, seconds)
}

/** Part of a rate's points that one statement counts at most. */
const LARGEST_BLOCK = 1 / 20
const KEPT_KEYS = 10_000

interface Block {
  /** By `performance.now()`. */
  until: number
  /** Points that are counted and not used yet. */
  ahead: number
  /** What is left beside them. */
  left: number
  size: number
}

/** Each block is twice as large as the one before, within its window. */
function inBlocks(limiter: RateLimiterPostgres, points: number): Limiter {
  const blocks = new Map<string, Block>()
  const asked = new Map<string, Promise<unknown>>()
  const answer = ({ until, ahead, left }: Block) => ({
    remainingPoints: left + ahead,
    msBeforeNext: until - performance.now(),
  })
  const current = (key: string): Block | undefined => {
    const block = blocks.get(key)
    return block && performance.now() < block.until ? block : undefined
  }
  const ask = async (key: string, count: number): Promise<Block> => {
    const block = current(key)
    const size = block ? Math.min(block.size * 2, Math.floor(points * LARGEST_BLOCK), block.left) : 1
    const taken = Math.max(count, size)
    const { remainingPoints: left, msBeforeNext } = await limiter.consume(key, taken)
    if (blocks.size >= KEPT_KEYS) blocks.clear()
    const ahead = (block?.ahead ?? 0) + taken - count
    const next = { until: performance.now() + msBeforeNext, ahead, left, size: Math.max(1, size) }
    blocks.set(key, next)
    return next
  }
  return {
    delete: key => {
      blocks.delete(key)
      return limiter.delete(key)
    },
    consume: async (key, count = 1) => {
      for (;;) {
        const block = current(key)
        if (block && block.ahead >= count) {
          block.ahead -= count
          return answer(block)
        }
        const before = asked.get(key)
        if (before === undefined) break
        await before.catch(() => undefined)
      }
      const asking = ask(key, count).finally(() => asked.delete(key))
      asked.set(key, asking)
      return answer(await asking)
    },
  }
}

/** What {@link rateOf} needs of a limiter. */
interface Limiter {
  consume(key: string, count?: number): Promise<Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>>
  /** Forgets a key's window. */
  delete(key: string): Promise<unknown>
}

/** A rate of this process alone, for requests that cost less than a write to the database would. */
export function createMemoryRate(name: string, points: number, seconds: number): Rate {
  return rateOf(new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }), name, points, seconds)
}

function rateOf(limiter: Limiter, name: string, points: number, seconds: number): Rate {
  /** A window that would last longer than windows do began before the clock was set back: another begins. */
  const consumeNow = async (key: string, count: number) => {
    const isLong = ({ msBeforeNext }: { msBeforeNext: number }) => msBeforeNext > (seconds + 60) * 1_000
    const taken = limiter.consume(key, count)
    const found = await taken.catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes && isLong(refusal)) return refusal
      throw refusal
    })
    if (!isLong(found)) return found
    await limiter.delete(key)
    return limiter.consume(key, count)
  }
  /** What is left, and the seconds until the window ends; `null` left: there was none. */
  const consume = async (key: string, count = 1): Promise<{ left: number | null; wait: number }> => {
    try {
      const { remainingPoints, msBeforeNext } = await consumeNow(clientNetwork(key), count)
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
