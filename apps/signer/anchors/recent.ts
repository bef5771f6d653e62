import type { Clock } from '@windlass/service/work/clock.ts'

/** Milliseconds for which what was read still counts, where another process of the signer has changed it. */
const RECENT_MS = 1_000
/** Anchors; then all are read again. */
const MOST = 5_000

/** What was read a moment ago, for signatures that move nothing. This process' own changes count at once. */
export interface Recent {
  /** What `read` gave for this key within the last second. What it throws is not kept. */
  get<T>(kind: string, key: string, read: () => Promise<T>): Promise<T>
  forget(): void
}

export function createRecent(clock: Clock): Recent {
  const kept = new Map<string, { at: number; value: Promise<unknown> }>()
  return {
    get<T>(kind: string, key: string, read: () => Promise<T>): Promise<T> {
      const name = `${kind} ${key}`
      const now = clock.now().getTime()
      const before = kept.get(name)
      if (before && now >= before.at && now - before.at < RECENT_MS) return before.value as Promise<T>
      if (kept.size >= MOST) kept.clear()
      const value = read()
      const entry = { at: now, value }
      kept.set(name, entry)
      value.catch(() => {
        if (kept.get(name) === entry) kept.delete(name)
      })
      return value
    },
    forget: () => kept.clear(),
  }
}
