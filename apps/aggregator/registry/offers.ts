import type { Entry } from './entry.ts'

/** Slots of anchors, in the order of their ids. */
export type Slots = readonly number[]

/** What a transaction asks an anchor to support. `asset` is `CODE` or `CODE:ISSUER`, all in upper case. */
export interface Support {
  asset: string
  rail: string
  /** Absent: any. */
  region?: string
}

/** Everyone, of those who supports an asset, of those a rail, of those a region: each list within the one before. */
export interface Supporters {
  all: Slots
  asset: Slots
  rail: Slots
  region: Slots
}

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
  readonly #compare: (a: number, b: number) => number

  /** `idOf` tells a slot's anchor id, by which every list is ordered. */
  constructor(idOf: (slot: number) => string) {
    this.#compare = (a, b) => (a === b ? 0 : idOf(a) < idOf(b) ? -1 : 1)
  }

  supporters({ asset, rail, region }: Support): Supporters {
    const withAsset = this.#byAsset.get(asset)
    const onRail = withAsset?.byRail.get(rail)
    const inRegion = region === undefined ? onRail?.all : onRail?.byRegion.get(region)
    return {
      all: this.#all,
      asset: withAsset?.all ?? none,
      rail: onRail?.all ?? none,
      region: inRegion ?? none,
    }
  }

  add(entry: Entry): void {
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

function assetNames(entry: Entry): Set<string> {
  return new Set(
    entry.assets.flatMap(({ code, issuer }) => [code.toUpperCase(), `${code.toUpperCase()}:${issuer}`]),
  )
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
