// Longer than a start takes on a machine that is busy with others.
const SILENT_MS = 60_000
// Longer than what it needs, such as its database, is usually away: starting it anew would not help then.
const UNHEALTHY_MS = 300_000

/** What is seen of a server that runs: it does not answer at all, or its engine finds it unhealthy. */
export interface Symptoms {
  silent: boolean
  unhealthy: boolean
}

/** How long servers have been ailing. */
export interface Ailing {
  /** Whether the server is past waiting for; the next symptom begins anew then. */
  tooLong(server: string, symptoms: Symptoms): boolean
}

/** @param now monotonic milliseconds */
export function createAiling(now: () => number = () => performance.now()): Ailing {
  const since = new Map<string, number>()
  const lasts = (key: string, ails: boolean, limit: number): boolean => {
    if (!ails) {
      since.delete(key)
      return false
    }
    const begun = since.get(key) ?? now()
    since.set(key, begun)
    return now() - begun >= limit
  }
  return {
    tooLong: (server, { silent, unhealthy }) => {
      const long = [
        lasts(`${server} silent`, silent, SILENT_MS),
        lasts(`${server} unhealthy`, unhealthy, UNHEALTHY_MS),
      ].some(Boolean)
      if (long) for (const key of ['silent', 'unhealthy']) since.delete(`${server} ${key}`)
      return long
    },
  }
}
