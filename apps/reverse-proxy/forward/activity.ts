import type { HostActivity } from '@windlass/contracts/internal/proxy-routes.ts'

/** Which hosts are used. */
export interface Activity {
  /** A request of that host begins; the answer ends it, and may be called again. */
  begin(host: string): () => void
  of(host: string): HostActivity
}

/** @param now monotonic milliseconds */
export function createActivity(now: () => number = () => performance.now()): Activity {
  const started = now()
  const hosts = new Map<string, { underWay: number; at: number }>()
  return {
    begin: host => {
      const known = hosts.get(host) ?? { underWay: 0, at: 0 }
      hosts.set(host, known)
      known.underWay++
      known.at = now()
      let ended = false
      return () => {
        if (ended) return
        ended = true
        known.underWay--
        known.at = now()
      }
    },
    of: host => {
      const { underWay = 0, at = started } = hosts.get(host) ?? {}
      return { host, underWay, quietMs: now() - at }
    },
  }
}
