import type { Support } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { takeSnapshot, type Snapshot } from './snapshot.ts'

/** So old may the uptimes be that an anchor is scored by; all else is as it is now. */
const UPTIME_AGE_MS = 5_000

interface Kept {
  snapshot: Snapshot
  supporters: unknown
  members: ReadonlySet<number>
}

/**
 * The snapshots that routing and quoting work on, one for each asset, rail and region asked for. One serves until an
 * anchor in it changes, or for five seconds: an anchor is probed every fifteen, so its uptime hardly moves.
 */
export class Corridors {
  readonly #index: RegistryIndex
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>()

  constructor(index: RegistryIndex) {
    this.#index = index
    index.watch(slot => {
      for (const [key, { members }] of this.#kept) if (members.has(slot)) this.#kept.delete(key)
    })
  }

  snapshot(support: Support, now: Date): Snapshot {
    this.#index.advance(now)
    const key = `${support.asset}/${support.rail}/${support.region ?? '*'}`
    const supporters = this.#index.offers.supporters(support)
    const kept = this.#kept.get(key)
    if (kept && kept.supporters === supporters && isFresh(kept, now)) return kept.snapshot
    this.#forgetOld(now)
    const snapshot = takeSnapshot(this.#index, support, now)
    this.#kept.delete(key)
    this.#kept.set(key, { snapshot, supporters, members: supporters.members })
    return snapshot
  }

  #forgetOld(now: Date): void {
    for (const [key, kept] of this.#kept) {
      if (isFresh(kept, now)) return
      this.#kept.delete(key)
    }
  }
}

const isFresh = ({ snapshot }: Kept, now: Date): boolean => {
  const age = now.getTime() - snapshot.takenAt.getTime()
  return age >= 0 && age < UPTIME_AGE_MS
}
