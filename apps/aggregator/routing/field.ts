import type { Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import {
  compareFeeScores,
  compareStandings,
  type Contender,
  type PolicyWeights,
  type Standing,
  type Terms,
} from './score.ts'

/** How many candidates an answer shows. */
const TOP = 20
// Beyond the top, those whom nobody kept comes before under all weights are kept for replays; so many are plenty.
const KEPT_AT_MOST = 64

/** Rounded figures by place, one set for all requests: they are ranked one after the other. */
const figures = {
  fees: new Float64Array(1024),
  uptimes: new Float64Array(1024),
  liquidity: new Float64Array(1024),
  scores: new Float64Array(1024),
}

function makeRoom(length: number): void {
  if (figures.fees.length >= length) return
  for (const name of Object.keys(figures) as (keyof typeof figures)[]) {
    figures[name] = new Float64Array(length * 2)
  }
}

/**
 * The eligible anchors and their order. Rounded figures find the few that may be among the best; wherever two are so
 * close that rounding could matter, the exact ones decide. Places are positions in the list of eligible slots, which
 * is ordered by anchor id: between equals the lower place is first. Good until the next one is made.
 */
export class Field {
  readonly terms: Terms
  readonly #index: RegistryIndex
  readonly #amount: Amount
  readonly #slots: Int32Array
  readonly #exactFees = new Map<number, Amount>()
  /** Scores closer than this are compared exactly. */
  readonly #margin: number

  constructor(index: RegistryIndex, amount: Amount, slots: Int32Array, weights: PolicyWeights) {
    makeRoom(slots.length)
    this.#index = index
    this.#amount = amount
    this.#slots = slots
    const cheapest = this.#cheapest(this.#takeFees())
    this.terms = { amount, cheapest, weights }
    // Half a unit of rounding in either fee moves the fee score by less than this.
    this.#margin = 1e-9 + (cheapest === 0n ? Infinity : 200 / Number(cheapest))
    this.#takeScores()
  }

  /** Returns the lowest. */
  #takeFees(): number {
    const slots = this.#slots
    const { feeFixed, feePercentage } = this.#index.columns
    const { fees } = figures
    const amount = Number(this.#amount)
    let lowest = Infinity
    for (let place = 0; place < slots.length; place += 1) {
      const slot = slots[place] as number
      const fee = (feeFixed[slot] as number) + amount * (feePercentage[slot] as number)
      fees[place] = fee
      if (fee < lowest) lowest = fee
    }
    return lowest
  }

  /** A rounded fee is off by less than one unit and a few parts in 10^15. */
  #cheapest(lowest: number): Amount {
    const { fees } = figures
    const near = lowest * (1 + 1e-12) + 2
    let cheapest: Amount | null = null
    for (let place = 0; place < this.#slots.length; place += 1) {
      if ((fees[place] as number) > near) continue
      const fee = this.#exactFee(place)
      if (cheapest === null || fee < cheapest) cheapest = fee
    }
    return cheapest ?? (0n as Amount)
  }

  #takeScores(): void {
    const slots = this.#slots
    const { speed, capacity } = this.#index.columns
    const { good, checks } = this.#index.uptime
    const { fees, uptimes, liquidity, scores } = figures
    const { weights } = this.terms
    const perFee = (Number(weights.fee) / 10_000) * Number(this.terms.cheapest)
    const perSpeed = Number(weights.speed) / 1_000_000
    const perUptime = Number(weights.uptime) / 10_000
    const perLiquidity = Number(weights.liquidity) / 10_000
    const ample = 5 * Number(this.#amount)
    for (let place = 0; place < slots.length; place += 1) {
      const slot = slots[place] as number
      const asked = checks[slot] ?? 0
      const up = asked === 0 ? 1 : (good[slot] as number) / asked
      const ratio = (capacity[slot] as number) / ample
      const liquid = ratio < 1 ? ratio : 1
      uptimes[place] = up
      liquidity[place] = liquid
      scores[place] =
        perFee / (fees[place] as number) +
        perSpeed * (speed[slot] as number) +
        perUptime * up +
        perLiquidity * liquid
    }
  }

  /** The places of the best, best first. */
  best(): number[] {
    const { scores } = figures
    const best: number[] = []
    let hopeless = -Infinity
    for (let place = 0; place < this.#slots.length; place += 1) {
      if ((scores[place] as number) < hopeless) continue
      if (best.length === TOP && !this.#isBefore(place, best[TOP - 1] as number)) continue
      best.splice(this.#rankAmong(best, place), 0, place)
      if (best.length > TOP) best.pop()
      if (best.length === TOP) hopeless = (scores[best[TOP - 1] as number] as number) - this.#margin
    }
    return best
  }

  #rankAmong(best: readonly number[], place: number): number {
    let low = 0
    let high = best.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isBefore(place, best[middle] as number)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Whether `later`, a higher place than `earlier`, comes before it in the ranking. */
  #isBefore(later: number, earlier: number): boolean {
    const difference = (figures.scores[later] as number) - (figures.scores[earlier] as number)
    if (difference > this.#margin) return true
    if (difference < -this.#margin) return false
    if (this.#alike(later, earlier)) return false
    return compareStandings(this.#standing(later), this.#standing(earlier), this.terms) < 0
  }

  /** Equal in everything that is scored, seen without computing it. */
  #alike(a: number, b: number): boolean {
    const { feeSchedule, speed } = this.#index.columns
    const [one, two] = [this.#slots[a] as number, this.#slots[b] as number]
    return (
      feeSchedule[one] === feeSchedule[two] &&
      speed[one] === speed[two] &&
      figures.uptimes[a] === figures.uptimes[b] &&
      this.#isAmple(one) &&
      this.#isAmple(two)
    )
  }

  /** Certain to have the full liquidity score. */
  #isAmple(slot: number): boolean {
    return (this.#index.columns.capacity[slot] as number) > 5.000001 * Number(this.#amount)
  }

  /** Places beyond `best` that nobody kept comes before under all weights. */
  unmatchedBy(best: readonly number[]): number[] {
    const slots = this.#slots
    if (slots.length <= best.length) return []
    const { speed } = this.#index.columns
    const { fees, uptimes, liquidity } = figures
    const kept = new Kept(this.terms.cheapest)
    const keep = (place: number) => kept.add(place, speed[slots[place] as number] as number)
    // The best have low fees; those of them whom few exceed in the rest are asked first.
    const strength = (place: number) =>
      (uptimes[place] as number) +
      (liquidity[place] as number) +
      (speed[slots[place] as number] as number) / 100
    for (const place of best.toSorted((a, b) => strength(b) - strength(a))) keep(place)
    const others: number[] = []
    for (let place = 0; place < slots.length && others.length < KEPT_AT_MOST; place += 1) {
      const fast = speed[slots[place] as number] as number
      if (
        kept.surelyBefore(fees[place] as number, uptimes[place] as number, liquidity[place] as number, fast)
      )
        continue
      if (kept.places.includes(place)) continue
      if (kept.places.some(other => this.#isAlwaysBefore(other, place))) continue
      others.push(place)
      keep(place)
    }
    return others
  }

  /** Whether one comes before the other under any weights: level or better in all four, and in what breaks ties. */
  #isAlwaysBefore(one: number, other: number): boolean {
    const { speed } = this.#index.columns
    const { uptimes, liquidity } = figures
    const moreUp = (uptimes[one] as number) - (uptimes[other] as number)
    if (
      moreUp < 0 ||
      (liquidity[one] as number) < (liquidity[other] as number) ||
      (speed[this.#slots[one] as number] as number) < (speed[this.#slots[other] as number] as number)
    )
      return false
    const byFee = this.#compareFees(one, other)
    return byFee < 0 || (byFee === 0 && (moreUp > 0 || one < other))
  }

  #compareFees(one: number, other: number): number {
    const { feeSchedule } = this.#index.columns
    if (feeSchedule[this.#slots[one] as number] === feeSchedule[this.#slots[other] as number]) return 0
    const gap = (figures.fees[other] as number) - (figures.fees[one] as number)
    const sure = 2 + (figures.fees[other] as number) * 1e-12
    if (this.terms.cheapest > 0n && Math.abs(gap) > sure) return -gap
    return compareFeeScores(this.#exactFee(one), this.#exactFee(other), this.terms.cheapest)
  }

  contender(place: number): Contender {
    const { id, slug } = this.entry(place)
    return { anchorId: id, slug, ...this.#standing(place) }
  }

  #standing(place: number): Standing {
    const slot = this.#slots[place] as number
    return {
      fee: this.#exactFee(place),
      speed: this.#index.columns.speed[slot] as number,
      good: this.#index.uptime.good[slot] ?? 0,
      checks: this.#index.uptime.checks[slot] ?? 0,
      capacity: this.#index.freeCapacity(this.entry(place)),
    }
  }

  #exactFee(place: number): Amount {
    const schedule = this.#index.columns.feeSchedule[this.#slots[place] as number] as number
    const known = this.#exactFees.get(schedule)
    if (known !== undefined) return known
    const fee = feeFor(this.entry(place).fees, this.#amount)
    this.#exactFees.set(schedule, fee)
    return fee
  }

  entry(place: number): Entry {
    return this.#index.at(this.#slots[place] as number)
  }
}

const keptFigures = {
  fees: new Float64Array(TOP + KEPT_AT_MOST),
  uptimes: new Float64Array(TOP + KEPT_AT_MOST),
  liquidity: new Float64Array(TOP + KEPT_AT_MOST),
  speeds: new Uint8Array(TOP + KEPT_AT_MOST),
}

/** Those who are kept, with figures side by side: most others are seen at a glance to come after one of them. */
class Kept {
  readonly places: number[] = []
  readonly #cheapest: bigint

  constructor(cheapest: bigint) {
    this.#cheapest = cheapest
  }

  add(place: number, speed: number): void {
    const at = this.places.push(place) - 1
    // Beside a fee of nothing all others score alike: then the fee alone tells nothing.
    keptFigures.fees[at] = this.#cheapest > 0n ? (figures.fees[place] as number) * (1 + 2e-12) + 3 : Infinity
    keptFigures.uptimes[at] = figures.uptimes[place] as number
    keptFigures.liquidity[at] = figures.liquidity[place] as number
    keptFigures.speeds[at] = speed
  }

  /** Whether one of them is better in the fee, whatever rounding hides, and level or better in all else. */
  surelyBefore(fee: number, uptime: number, liquid: number, speed: number): boolean {
    const { fees, uptimes, liquidity, speeds } = keptFigures
    const { length } = this.places
    for (let at = 0; at < length; at += 1) {
      if (
        fee > (fees[at] as number) &&
        uptime <= (uptimes[at] as number) &&
        liquid <= (liquidity[at] as number) &&
        speed <= (speeds[at] as number)
      )
        return true
    }
    return false
  }
}
