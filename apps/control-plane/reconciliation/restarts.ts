// Longer than a start takes on a busy machine.
const SILENT_MS = 60_000
const UNHEALTHY_MS = 300_000
/** Where many servers are silent the machine is overloaded, and restarts would add to it. */
const BETWEEN_RESTARTS_MS = 30_000

/** Symptoms of a server that runs: it does not answer at all, or its engine reports it as unhealthy. */
export interface Symptoms {
  silent: boolean
  unhealthy: boolean
}

/** How long servers have had symptoms. */
interface Patience {
  /**
   * Whether to restart the server now; its symptoms count from zero again then. At most one of all servers is restarted
   * every 30 seconds.
   */
  isOver(server: string, symptoms: Symptoms): boolean
}

/** @param now monotonic milliseconds */
export function createPatience(now: () => number = () => performance.now()): Patience {
  const since = new Map<string, number>()
  let restarted = -Infinity
  const lasts = (key: string, present: boolean, limit: number): boolean => {
    if (!present) {
      since.delete(key)
      return false
    }
    const begun = since.get(key) ?? now()
    since.set(key, begun)
    return now() - begun >= limit
  }
  return {
    isOver: (server, { silent, unhealthy }) => {
      const long = [
        lasts(`${server} silent`, silent, SILENT_MS),
        lasts(`${server} unhealthy`, unhealthy, UNHEALTHY_MS),
      ].some(Boolean)
      if (!long || now() - restarted < BETWEEN_RESTARTS_MS) return false
      restarted = now()
      for (const key of ['silent', 'unhealthy']) since.delete(`${server} ${key}`)
      return true
    },
  }
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const STABLE_MS = 60_000

/** Growing pauses between the restarts of servers that keep dying. */
interface Pauses {
  /**
   * Whether a restart may be tried now. True begins the next pause: twice as long as the last one, short again after a
   * minute without restarts.
   */
  isOver(key: string): boolean
}

/** @param now monotonic milliseconds */
export function createPauses(now: () => number = () => performance.now()): Pauses {
  const tries = new Map<string, { at: number; pause: number }>()
  return {
    isOver: key => {
      const present = now()
      const last = tries.get(key)
      if (last && present - last.at < last.pause) return false
      const stable = !last || present - last.at > last.pause + STABLE_MS
      const pause = stable ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, last.pause * 2)
      tries.set(key, { at: present, pause })
      return true
    },
  }
}
