/** The current time; tests pass a clock of their own. */
export interface Clock {
  now(): Date
}

/** Frozen: who needs another time passes another clock. */
export const systemClock: Clock = Object.freeze({ now: () => new Date() })
