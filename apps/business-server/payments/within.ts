import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for an answer; what was begun continues without anyone waiting.
 *
 * @param until by `performance.now()`
 */
export async function within<T>(until: number, answer: Promise<T>): Promise<T> {
  const stop = new AbortController()
  const late = sleep(until - performance.now(), undefined, { signal: stop.signal }).then(() => {
    throw new Error('the answer takes too long')
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    stop.abort()
    late.catch(() => undefined)
  }
}
