const FIRST_MS = 1_000
const LONGEST_MS = 60_000
const STABLE_MS = 60_000

/** Growing pauses between the restarts of what keeps dying. */
export interface Pauses {
  /** Whether it may be tried now. Saying yes begins the next pause: twice as long, short again after a quiet minute. */
  over(key: string): boolean
}

/** @param now monotonic milliseconds */
export function createPauses(now: () => number = () => performance.now()): Pauses {
  const tries = new Map<string, { at: number; pause: number }>()
  return {
    over: key => {
      const present = now()
      const last = tries.get(key)
      if (last && present - last.at < last.pause) return false
      const stable = !last || present - last.at > last.pause + STABLE_MS
      tries.set(key, { at: present, pause: stable ? FIRST_MS : Math.min(LONGEST_MS, last.pause * 2) })
      return true
    },
  }
}
