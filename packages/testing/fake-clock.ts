import type { Clock } from '@windlass/service/work/clock.ts'

export interface FakeClock extends Clock {
  /** Advances the time by milliseconds. */
  advance(milliseconds: number): void
  /** Sets the time (ISO 8601 or Date). */
  set(moment: string | Date): void
}

/** A clock that only the test advances. */
export function fakeClock(start: string | Date = '2026-03-01T12:00:00.000Z'): FakeClock {
  let present = new Date(start).getTime()
  return {
    now: () => new Date(present),
    advance: milliseconds => {
      present += milliseconds
    },
    set: moment => {
      present = new Date(moment).getTime()
    },
  }
}
