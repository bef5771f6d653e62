import type { Clock } from '@windlass/service/work/clock.ts'

/** The time of the database, which all control planes agree on whatever their machines' clocks say. */
export interface DatabaseClock extends Clock {
  /** Asks the database for its time. Throws where it does not answer: the last known offset holds. */
  compare(): Promise<void>
  /** {@link compare}, where the machine's clock was set since, or the last time is a minute ago. */
  follow(): Promise<void>
}

/** The quartz of a machine drifts less than this: 100 microseconds a second. */
const DRIFT = 1e-4
const GOOD_ENOUGH_MS = 10
/** What the machine's clock moves by at once, where someone set it: the database's is often the same one. */
const STEP_MS = 500
const MAX_SAMPLES = 5
const COMPARE_EVERY_MS = 60_000

/** The difference to the monotonic clock, at a moment of that clock, and by how much it may be wrong. All in ms. */
interface Sample {
  offset: number
  error: number
  at: number
}

/**
 * A clock that follows the database's. A sample may be wrong by half its round trip; one that is slow never replaces
 * a better one that agrees with it. It compares by itself once the machine's clock was set.
 *
 * @param read the database's time
 * @param monotonic milliseconds
 * @param machine the machine's clock, in milliseconds
 */
export function createDatabaseClock(
  read: () => Promise<Date>,
  monotonic: () => number = () => performance.now(),
  machine: () => number = Date.now,
): DatabaseClock {
  const machineOffset = () => machine() - monotonic()
  let best: Sample = { offset: machineOffset(), error: Infinity, at: monotonic() }
  let compared = { offset: machineOffset(), at: monotonic() }
  let comparing: Promise<void> | null = null

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
  const takeSamples = async (): Promise<void> => {
    const now = { offset: machineOffset(), at: monotonic() }
    for (let taken = 0; taken < MAX_SAMPLES; taken++) {
      const found = await sample()
      keep(found)
      if (found.error <= GOOD_ENOUGH_MS) break
    }
    compared = now
  }
  const compare = (): Promise<void> =>
    (comparing ??= takeSamples().finally(() => {
      comparing = null
    }))
  const isSet = () => Math.abs(machineOffset() - compared.offset) > STEP_MS
  return {
    now: () => {
      // Where the database does not answer, the next look tries again.
      if (isSet()) compare().catch(() => undefined)
      return new Date(monotonic() + best.offset)
    },
    compare,
    follow: async () => {
      if (isSet() || monotonic() - compared.at >= COMPARE_EVERY_MS) await compare()
    },
  }
}
