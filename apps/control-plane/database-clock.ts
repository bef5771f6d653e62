import type { Clock } from '@windlass/service/work/clock.ts'

/** The time of the database, which all control planes agree on whatever their machines' clocks say. */
export interface DatabaseClock extends Clock {
  /** Asks the database for its time. Throws where it does not answer: the last known offset holds. */
  compare(): Promise<void>
}

/** The quartz of a machine drifts less than this: 100 microseconds a second. */
const DRIFT = 1e-4
const GOOD_ENOUGH_MS = 10
const MAX_SAMPLES = 5

/** The difference to the monotonic clock, at a moment of that clock, and by how much it may be wrong. All in ms. */
interface Sample {
  offset: number
  error: number
  at: number
}

/**
 * A clock that follows the database's. A sample may be wrong by half its round trip; one that is slow never replaces
 * a better one that agrees with it.
 *
 * @param read the database's time
 * @param monotonic milliseconds
 */
export function createDatabaseClock(
  read: () => Promise<Date>,
  monotonic: () => number = () => performance.now(),
): DatabaseClock {
  let best: Sample = { offset: Date.now() - monotonic(), error: Infinity, at: monotonic() }

  const sample = async (): Promise<Sample> => {
    const asked = monotonic()
    const time = await read()
    const at = monotonic()
    return { offset: time.getTime() - (asked + at) / 2, error: (at - asked) / 2, at }
  }
  const keep = (found: Sample): void => {
    const error = best.error + (found.at - best.at) * DRIFT
    const contradicts = Math.abs(found.offset - best.offset) > error + found.error
    if (contradicts || found.error <= error) best = found
  }
  return {
    now: () => new Date(monotonic() + best.offset),
    compare: async () => {
      for (let taken = 0; taken < MAX_SAMPLES; taken++) {
        const found = await sample()
        keep(found)
        if (found.error <= GOOD_ENOUGH_MS) return
      }
    },
  }
}
