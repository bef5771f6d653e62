/** The current time; tests pass a clock of their own. */
export interface Clock {
  now(): Date
}

/** A process' time that no one sets: how old something is that it keeps in memory. */
export const steadyClock: Clock = Object.freeze({
  now: () => new Date(performance.timeOrigin + performance.now()),
})

/** Frozen: who needs another time passes another clock. */
export const systemClock: Clock = Object.freeze({ now: () => new Date() })
