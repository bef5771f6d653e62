import type { Entry } from '../registry/entry.ts'
import type { Supporters, Support } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { holds } from './scores.ts'
import { contenderOf, fail, Snapshot, type Contender, type FailingByRule } from './snapshot.ts'

/** How old the uptimes used in scores can be; all other facts are current. */
const UPTIME_AGE_MS = 5_000
/** A snapshot that differs in more than this part of its contenders is stored whole. */
const MOST_CHANGED = 0.25
/** Storing one takes tens of milliseconds, during which decisions wait: corridors that change together take turns. */
const WHOLE_EVERY_MS = 2_000
/** A decision's snapshot and its base are not much older than the decision. */
const MAX_AGE_MS = 600_000

interface Kept {
  supporters: Supporters
  snapshot: Snapshot
  /** By slot. One that has not changed is the same object in the next snapshot. */
  contenders: ReadonlyMap<number, Contender>
  uptimesAt: number
  /** Slots that changed since the snapshot. */
  changed: Set<number>
}

/** The same for transactions that are decided on one snapshot. */
export const corridorOf = ({ asset, rail, region, external }: Support): string =>
  `${asset}/${rail}/${region ?? '*'}/${external ? 'external' : 'own'}`

/**
 * The snapshots that routing and quoting work on, one for each asset, rail and region asked for. One serves until an
 * anchor in it changes. Uptimes are compared every five seconds: an anchor is probed every fifteen, so they hardly move.
 * Only what changed is read again, so that an answer never waits for the others.
 */
export class Corridors {
  readonly #index: RegistryIndex
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>()
  /** When a snapshot was last to be stored whole in place of a difference. */
  #wholeAt = -Infinity

  constructor(index: RegistryIndex) {
    this.#index = index
    index.watch(slot => {
      for (const { supporters, changed } of this.#kept.values()) {
        if (supporters.members.has(slot)) changed.add(slot)
      }
    })
  }

  snapshot(support: Support, now: Date): Snapshot {
    this.#index.advance(now)
    const key = corridorOf(support)
    const supporters = this.#index.offers.supporters(support)
    const kept = this.#kept.get(key)
    const before = kept?.supporters === supporters ? kept : undefined
    if (before && before.changed.size === 0 && isFresh(before, now)) return before.snapshot
    this.#forgetOld(now)
    const next = this.#take(support, supporters, before, now)
    this.#kept.delete(key)
    // Combinations that no anchor supports have no bound.
    if (supporters.slots.length > 0) this.#kept.set(key, next)
    return next.snapshot
  }

  #take(support: Support, supporters: Supporters, before: Kept | undefined, now: Date): Kept {
    const uptimesAt = before && isFresh(before, now) ? before.uptimesAt : now.getTime()
    const failing: FailingByRule = {}
    for (const rule of ['asset', 'rail', 'region'] as const) {
      const { count, first } = supporters.without[rule]
      if (count > 0) failing[rule] = { count, first: first.map(slot => this.#index.at(slot).id) }
    }
    const contenders = new Map<number, Contender>()
    let isSame = before?.changed.size === 0
    for (const slot of supporters.slots) {
      const entry = this.#index.at(slot)
      const isAskedFor = entry.external === null || support.external
      const rule = this.#index.blockedBy(entry) ?? (isAskedFor ? null : 'external')
      if (rule !== null) {
        fail(failing, rule, entry.id, Infinity)
        continue
      }
      const contender = this.#contender(entry, support, before, uptimesAt)
      if (contender !== before?.contenders.get(slot)) isSame = false
      contenders.set(slot, contender)
    }
    if (before && isSame && isYoung(before.snapshot, now)) return { ...before, uptimesAt }
    const base = before ? this.#baseFor(before.snapshot, contenders.values(), now) : null
    const snapshot = new Snapshot({ takenAt: now, support, failing, base }, [...contenders.values()])
    return { supporters, snapshot, contenders, uptimesAt, changed: new Set() }
  }

  /** The one of the snapshot before where it still holds. */
  #contender(entry: Entry, { asset, rail }: Support, before: Kept | undefined, uptimesAt: number): Contender {
    const known = before?.contenders.get(entry.slot)
    const isUnchanged = known && !before?.changed.has(entry.slot)
    // All but the uptime of one that has not changed.
    const isKnown = isUnchanged && (before?.uptimesAt === uptimesAt || holds(known.facts, entry, this.#index))
    if (isKnown) return known
    const now = contenderOf(entry, asset, rail, this.#index)
    return known && isSame(known, now) && holds(known.facts, entry, this.#index) ? known : now
  }

  /** The snapshot to store the difference to; null where that would be too much, or the base too old. */
  #baseFor(before: Snapshot, contenders: Iterable<Contender>, now: Date): Snapshot | null {
    const base = before.base ?? before
    const known = new Set(base.contenders)
    let changed = 0
    for (const contender of contenders) if (!known.has(contender)) changed += 1
    const age = now.getTime() - base.takenAt.getTime()
    const due = Math.max(changed / (MOST_CHANGED * base.contenders.length || 1), age / MAX_AGE_MS)
    const mayWait = due < 2 && now.getTime() - this.#wholeAt < WHOLE_EVERY_MS
    if (due <= 1 || mayWait) return base
    this.#wholeAt = now.getTime()
    return null
  }

  #forgetOld(now: Date): void {
    for (const [key, kept] of this.#kept) {
      const age = now.getTime() - kept.uptimesAt
      if (age >= 0 && age < 2 * UPTIME_AGE_MS) return
      this.#kept.delete(key)
    }
  }
}

const isFresh = ({ uptimesAt }: Kept, now: Date): boolean => {
  const age = now.getTime() - uptimesAt
  return age >= 0 && age < UPTIME_AGE_MS
}

const isSame = (a: Contender, b: Contender): boolean =>
  a.capacity === b.capacity &&
  a.fees === b.fees &&
  a.spread === b.spread &&
  a.limits === b.limits &&
  a.unknown === b.unknown &&
  a.slug === b.slug &&
  a.domain === b.domain &&
  a.issuer === b.issuer

const isYoung = ({ takenAt }: Snapshot, now: Date): boolean => now.getTime() - takenAt.getTime() <= MAX_AGE_MS
