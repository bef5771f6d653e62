import { getOrMake } from '../get-or-make.ts'
import { assetNames, type Entry } from './entry.ts'

/** Slots of anchors, in the order of their ids. */
type Slots = readonly number[]

/** What a transaction asks an anchor to support. `asset` is `CODE` or `CODE:ISSUER`, all in upper case. */
export interface Support {
  asset: string
  rail: string
  /** Absent: any. */
  region?: string
  /** Whether external anchors compete too. */
  external?: boolean
}

/** Anchors that fail a rule: how many, and the first of them. */
interface Unsupporting {
  count: number
  first: Slots
}

/** The anchors that support a transaction, and the others by the first rule each fails. */
export interface Supporters {
  slots: Slots
  members: ReadonlySet<number>
  without: { asset: Unsupporting; rail: Unsupporting; region: Unsupporting }
}

/** How many anchors that fail a rule are named. */
export const NAMED = 20

interface OnRail {
  all: number[]
  byRegion: Map<string, number[]>
}
interface WithAsset {
  all: number[]
  byRail: Map<string, OnRail>
}

const none: Slots = []

/** Anchors by what they support, kept as they are registered, changed and removed. */
export class Offers {
  readonly #all: number[] = []
  readonly #byAsset = new Map<string, WithAsset>()
  readonly #known = new Map<string, Supporters>()
  readonly #compare: (a: number, b: number) => number

  /** `idOf` returns a slot's anchor id, by which every list is ordered. */
  constructor(idOf: (slot: number) => string) {
    this.#compare = (a, b) => (a === b ? 0 : idOf(a) < idOf(b) ? -1 : 1)
  }

  /** Slots of those who support an asset at all. */
  withAsset(asset: string): Slots {
    return this.#byAsset.get(asset)?.all ?? none
  }

  supporters(support: Support): Supporters {
    const { asset, rail, region } = support
    const key = `${asset}/${rail}/${region ?? '*'}`
    const known = this.#known.get(key)
    if (known) return known
    const found = this.#find(support)
    // Only combinations that an anchor supports are cached: others that callers ask for have no bound.
    if (found.slots.length > 0) this.#known.set(key, found)
    return found
  }

  #find({ asset, rail, region }: Support): Supporters {
    const withAsset = this.#byAsset.get(asset)
    const onRail = withAsset?.byRail.get(rail)
    const inRegion = region === undefined ? onRail?.all : onRail?.byRegion.get(region)
    const lists = [this.#all, withAsset?.all ?? none, onRail?.all ?? none, inRegion ?? none] as const
    return {
      slots: [...lists[3]],
      members: new Set(lists[3]),
      without: {
        asset: difference(lists[0], lists[1]),
        rail: difference(lists[1], lists[2]),
        region: difference(lists[2], lists[3]),
      },
    }
  }

  add(entry: Entry): void {
    this.#known.clear()
    this.#insert(this.#all, entry.slot)
    for (const asset of assetNames(entry)) {
      const withAsset = getOrMake(this.#byAsset, asset, () => ({ all: [], byRail: new Map() }))
      this.#insert(withAsset.all, entry.slot)
      for (const rail of entry.rails) {
        const onRail = getOrMake(withAsset.byRail, rail, () => ({ all: [], byRegion: new Map() }))
        this.#insert(onRail.all, entry.slot)
        for (const region of entry.regions) {
          this.#insert(
            getOrMake(onRail.byRegion, region, () => []),
            entry.slot,
          )
        }
      }
    }
  }

  remove(entry: Entry): void {
    this.#known.clear()
    this.#delete(this.#all, entry.slot)
    for (const asset of assetNames(entry)) {
      const withAsset = this.#byAsset.get(asset)
      if (!withAsset) continue
      this.#delete(withAsset.all, entry.slot)
      for (const rail of entry.rails) {
        const onRail = withAsset.byRail.get(rail)
        if (!onRail) continue
        this.#delete(onRail.all, entry.slot)
        for (const region of entry.regions) {
          const list = onRail.byRegion.get(region)
          if (list && this.#delete(list, entry.slot) === 0) onRail.byRegion.delete(region)
        }
        if (onRail.all.length === 0) withAsset.byRail.delete(rail)
      }
      if (withAsset.all.length === 0) this.#byAsset.delete(asset)
    }
  }

  #insert(list: number[], slot: number): void {
    const at = this.#position(list, slot)
    if (list[at] !== slot) list.splice(at, 0, slot)
  }

  /** Returns how many are left. */
  #delete(list: number[], slot: number): number {
    const at = this.#position(list, slot)
    if (list[at] === slot) list.splice(at, 1)
    return list.length
  }

  #position(list: Slots, slot: number): number {
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(list[middle] as number, slot) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Those in the wider list and not in the narrower, both in the same order. */
function difference(wider: Slots, narrower: Slots): Unsupporting {
  const count = wider.length - narrower.length
  const first: number[] = []
  const enough = Math.min(count, NAMED)
  for (let at = 0, other = 0; first.length < enough; at += 1) {
    if (wider[at] === narrower[other]) other += 1
    else first.push(wider[at] as number)
  }
  return { count, first }
}
