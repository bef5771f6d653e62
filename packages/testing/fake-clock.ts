import type { Clock } from '@windlass/service/clock.ts'

export interface FakeClock extends Clock {
  /** Moves the present on by milliseconds. */
  advance(milliseconds: number): void
  /** Puts the present at a moment (ISO 8601 or Date). */
  set(moment: string | Date): void
}

/** A clock that stands still until the test moves it. */
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
