import type { Amount } from '@windlass/money/amount.ts'
import { CapacityHolds, type Hold } from './capacity-holds.ts'
import {
  assetId,
  assetNamed,
  capacityIn,
  termsFor,
  type Condition,
  type Description,
  type Entry,
  type FurtherCapacity,
} from './entry.ts'
import { Offers } from './offers.ts'
import { UptimeWindow } from './uptime-window.ts'

/** Why an anchor cannot be routed to at the moment. */
type BlockingRule = 'status' | 'availability' | 'domain'

/** What a probe found out about an anchor. */
export interface Observation {
  anchorId: string
  checkedAt: Date
  available: boolean
  /** Capacity of the first asset; absent: the last known stays. */
  capacity?: Amount
  /** Capacity of further assets; absent: the last known stay. */
  further?: FurtherCapacity
}

/**
 * The registry in memory: what routing, quoting and listing read without a query. Every process has one, kept current
 * by its own acts and by the database's notifications of the others'.
 */
export class RegistryIndex {
  readonly uptime = new UptimeWindow()
  readonly holds: CapacityHolds
  readonly offers: Offers
  /** Grows with every change of who is registered and how. */
  revision = 0
  readonly #byId = new Map<string, Entry>()
  readonly #bySlot: (Entry | undefined)[] = []
  // A slot outlives its entry: checks of a removed anchor leave the uptime window under it.
  readonly #slots = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #requireDomainProof: boolean
  readonly #watchers: ((slot: number) => void)[] = []

  constructor(options: { requireDomainProof: boolean }) {
    this.#requireDomainProof = options.requireDomainProof
    this.offers = new Offers(slot => this.idOf(slot))
    this.holds = new CapacityHolds(anchorId => this.#notify(this.slotOf(anchorId)))
  }

  /** Calls `changed` with each anchor of which anything but the uptime has changed. */
  watch(changed: (slot: number) => void): void {
    this.#watchers.push(changed)
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  at(slot: number): Entry {
    const entry = this.#bySlot[slot]
    if (!entry) throw new Error(`no anchor has slot ${slot}`)
    return entry
  }

  entries(): IterableIterator<Entry> {
    return this.#byId.values()
  }

  /** Removes checks and firm quotes that have expired at `now`. */
  advance(now: Date): void {
    this.uptime.advance(now.getTime())
    this.holds.advance(now.getTime())
  }

  /** Adds an anchor or replaces what is known of it; what a later probe found stays. */
  put(described: Description & Condition): Entry {
    const before = this.#byId.get(described.id)
    const entry: Entry = { ...described, slot: this.slotOf(described.id) }
    if (before && isLater(before.lastCheckedAt, described.lastCheckedAt)) {
      Object.assign(entry, conditionOf(before))
    }
    this.#byId.set(entry.id, entry)
    this.#bySlot[entry.slot] = entry
    if (!before || !supportsTheSame(before, entry)) {
      if (before) this.offers.remove(before)
      this.offers.add(entry)
    }
    this.revision += 1
    this.#notify(entry.slot)
    return entry
  }

  remove(id: string): void {
    const entry = this.#byId.get(id)
    if (!entry) return
    this.offers.remove(entry)
    this.#byId.delete(id)
    this.#bySlot[entry.slot] = undefined
    this.revision += 1
    this.#notify(entry.slot)
  }

  /** Counts a probe and records what it found, unless a later one is known. */
  observe(observation: Observation): void {
    const slot = this.slotOf(observation.anchorId)
    this.uptime.record(slot, observation.checkedAt.getTime(), observation.available)
    const entry = this.#byId.get(observation.anchorId)
    if (!entry || isLater(entry.lastCheckedAt, observation.checkedAt)) return
    const { available, capacity, further } = entry
    entry.available = observation.available
    entry.lastCheckedAt = observation.checkedAt
    if (observation.capacity !== undefined) entry.capacity = observation.capacity
    if (observation.further !== undefined && !isSame(further, observation.further))
      entry.further = observation.further
    const isNew = entry.available !== available || entry.capacity !== capacity || entry.further !== further
    if (isNew) this.#notify(slot)
  }

  hold(hold: Hold): void {
    this.holds.add(hold)
  }

  /** The free capacity of an anchor in the asset that a name means: its capacity less what firm quotes hold. */
  freeCapacity(entry: Entry, name: string): Amount {
    if (this.holds.isEmpty) return capacityIn(entry, name)
    const asset = assetNamed(entry, name)
    const held = asset ? this.holds.heldAt(entry.id, assetId(asset)) : 0n
    return (capacityIn(entry, name) - held) as Amount
  }

  /** As {@link freeCapacity}; of an external anchor the largest amount that it states it takes. */
  capacityFor(entry: Entry, asset: string): Amount {
    return termsFor(entry, asset).external?.capacity ?? this.freeCapacity(entry, asset)
  }

  uptimeOf(entry: Entry): { good: number; checks: number } {
    return {
      good: this.uptime.good[entry.slot] ?? 0,
      checks: this.uptime.checks[entry.slot] ?? 0,
    }
  }

  idOf(slot: number): string {
    return this.#ids[slot] ?? ''
  }

  slotOf(id: string): number {
    const known = this.#slots.get(id)
    if (known !== undefined) return known
    this.#slots.set(id, this.#ids.length)
    this.#ids.push(id)
    return this.#ids.length - 1
  }

  /** Why an anchor cannot be routed to for any request; null: it can. */
  blockedBy(entry: Entry): BlockingRule | null {
    if (entry.status !== 'active') return 'status'
    if (!entry.available) return 'availability'
    const needsProof = this.#requireDomainProof || entry.external !== null
    return needsProof && !entry.domainVerified ? 'domain' : null
  }

  #notify(slot: number): void {
    for (const changed of this.#watchers) changed(slot)
  }
}

const isSame = (a: FurtherCapacity, b: FurtherCapacity): boolean =>
  a.size === b.size && [...a].every(([id, amount]) => b.get(id) === amount)

const conditionOf = ({ capacity, further, available, lastCheckedAt }: Condition): Condition => ({
  capacity,
  further,
  available,
  lastCheckedAt,
})

const supportsTheSame = (a: Description, b: Description) =>
  JSON.stringify(supportOf(a)) === JSON.stringify(supportOf(b))

const supportOf = ({ assets, rails, regions }: Description) => [
  assets.map(({ code, issuer }) => [code, issuer]),
  rails,
  regions,
]

/** Checks never arrive out of order by this much. A known check that is so far ahead was made before the clock was set back. */
export const OUT_OF_ORDER_MS = 5 * 60_000

function isLater(a: Date | null, b: Date | null): boolean {
  if (a === null || b === null) return a !== null
  const by = a.getTime() - b.getTime()
  return by > 0 && by < OUT_OF_ORDER_MS
}
