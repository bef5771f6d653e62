import type { EligibilityRule } from '@windlass/contracts/routing.ts'
import { amountOf, type Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { compareStandings, type PolicyWeights, type Standing, type Terms } from './score.ts'
import { TOP } from './shortlist.ts'
import { fail, type Contender, type FailingByRule, type Snapshot } from './snapshot.ts'

/** A rule beside the hard filter's own; answers the rule a contender fails, or null. */
export type FurtherRule = (contender: { anchorId: string }) => EligibilityRule | null

export interface FieldOptions {
  /** Contenders to look at, by place and in order; all unless told. */
  places?: Int32Array
  furtherRule?: FurtherRule | undefined
}

/** Rounded figures by seat, one set for all requests: they are ranked one after the other. */
const figures = { fees: new Float64Array(1024), scores: new Float64Array(1024) }

function makeRoom(length: number): void {
  if (figures.fees.length >= length) return
  figures.fees = new Float64Array(length * 2)
  figures.scores = new Float64Array(length * 2)
}

/**
 * Contenders of a snapshot with an amount to take, and their order. Rounded figures find the few that may be among the
 * best; wherever two are so close that rounding could matter, the exact ones decide (ADR 0010). Each has a seat, in the
 * order of anchor ids: between equals the lower seat is first. Good until the next one is made.
 */
export class Field {
  readonly terms: Terms
  readonly eligible: number
  /** Who fails a rule for this amount. */
  readonly failing: FailingByRule = {}
  readonly #snapshot: Snapshot
  readonly #amount: Amount
  readonly #places: Int32Array
  readonly #exactFees = new Map<number, Amount>()
  /** Scores closer than this are compared exactly. */
  readonly #margin: number

  constructor(snapshot: Snapshot, amount: Amount, weights: PolicyWeights, options: FieldOptions = {}) {
    this.#snapshot = snapshot
    this.#amount = amount
    this.#places = options.places ?? snapshot.places
    makeRoom(this.#places.length)
    const { eligible, lowest } = this.#takeFees(options.furtherRule)
    this.eligible = eligible
    const cheapest = this.#cheapest(lowest)
    this.terms = { amount, cheapest, weights }
    // Half a unit of rounding in either fee moves the fee score by less than this.
    this.#margin = 1e-9 + (cheapest === 0n ? 0 : 200 / Number(cheapest))
    this.#takeScores()
  }

  /** The fee of whoever is eligible, Infinity of whoever is not. */
  #takeFees(furtherRule: FurtherRule | undefined): { eligible: number; lowest: number } {
    const places = this.#places
    const { feeFixed, feePercentage, capacity } = this.#snapshot.columns
    const { fees } = figures
    const amount = Number(this.#amount)
    let eligible = 0
    let lowest = Infinity
    for (let seat = 0; seat < places.length; seat += 1) {
      const place = places[seat] as number
      if (furtherRule !== undefined || (capacity[place] as number) <= amount) {
        const rule = this.#ruleFailed(seat, furtherRule)
        if (rule !== null) {
          fail(this.failing, rule, this.contender(seat).anchorId)
          fees[seat] = Infinity
          continue
        }
      }
      const fee = (feeFixed[place] as number) + amount * (feePercentage[place] as number)
      fees[seat] = fee
      eligible += 1
      if (fee < lowest) lowest = fee
    }
    return { eligible, lowest }
  }

  #ruleFailed(seat: number, furtherRule: FurtherRule | undefined): EligibilityRule | null {
    const contender = this.contender(seat)
    return furtherRule?.(contender) ?? (contender.capacity < this.#amount ? 'capacity' : null)
  }

  /** A rounded fee is off by less than one unit and a few parts in 10^15. */
  #cheapest(lowest: number): Amount {
    const { fees } = figures
    const near = lowest * (1 + 1e-12) + 2
    let cheapest: Amount | null = null
    for (let seat = 0; seat < this.#places.length && lowest < Infinity; seat += 1) {
      if ((fees[seat] as number) > near) continue
      const fee = this.exactFee(seat)
      if (cheapest === null || fee < cheapest) cheapest = fee
    }
    return cheapest ?? amountOf(0n)
  }

  #takeScores(): void {
    const places = this.#places
    const { speed, uptime, capacity } = this.#snapshot.columns
    const { fees, scores } = figures
    const { weights } = this.terms
    const perFee = (Number(weights.fee) / 10_000) * Number(this.terms.cheapest)
    const perSpeed = Number(weights.speed) / 1_000_000
    const perUptime = Number(weights.uptime) / 10_000
    const perLiquidity = Number(weights.liquidity) / 10_000
    const perCapacity = 1 / (5 * Number(this.#amount))
    for (let seat = 0; seat < places.length; seat += 1) {
      const place = places[seat] as number
      const fee = fees[seat] as number
      const liquid = (capacity[place] as number) * perCapacity
      scores[seat] =
        (fee < 2 ? this.#smallFeeShare(seat) : perFee / fee) +
        perSpeed * (speed[place] as number) +
        perUptime * (uptime[place] as number) +
        perLiquidity * (liquid < 1 ? liquid : 1)
    }
  }

  /** Of a fee so small that rounding may make it nothing. */
  #smallFeeShare(seat: number): number {
    const fee = this.exactFee(seat)
    const { cheapest, weights } = this.terms
    return (Number(weights.fee) / 10_000) * (fee === 0n ? 1 : Number(cheapest) / Number(fee))
  }

  /** The seats of the best, best first. */
  best(): number[] {
    const { fees, scores } = figures
    const best: number[] = []
    let hopeless = -Infinity
    for (let seat = 0; seat < this.#places.length; seat += 1) {
      if ((scores[seat] as number) < hopeless || fees[seat] === Infinity) continue
      if (best.length === TOP && !this.#isBefore(seat, best[TOP - 1] as number)) continue
      best.splice(this.#rankAmong(best, seat), 0, seat)
      if (best.length > TOP) best.pop()
      if (best.length === TOP) hopeless = (scores[best[TOP - 1] as number] as number) - this.#margin
    }
    return best
  }

  #rankAmong(best: readonly number[], seat: number): number {
    let low = 0
    let high = best.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isBefore(seat, best[middle] as number)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The seats of all who are eligible. */
  *seats(): Iterable<number> {
    for (let seat = 0; seat < this.#places.length; seat += 1) if (figures.fees[seat] !== Infinity) yield seat
  }

  /** The rank of one who is eligible, from 1; null: it is not. */
  rankOf(seat: number): number | null {
    if (figures.fees[seat] === Infinity) return null
    let rank = 1
    for (const other of this.seats()) {
      if (other < seat ? !this.#isBefore(seat, other) : other > seat && this.#isBefore(other, seat)) rank += 1
    }
    return rank
  }

  /** Whether `later`, a higher seat than `earlier`, comes before it in the ranking. */
  #isBefore(later: number, earlier: number): boolean {
    const difference = (figures.scores[later] as number) - (figures.scores[earlier] as number)
    if (difference > this.#margin) return true
    if (difference < -this.#margin) return false
    if (this.#alike(this.#places[later] as number, this.#places[earlier] as number)) return false
    return compareStandings(this.standing(later), this.standing(earlier), this.terms) < 0
  }

  /** Equal in everything that is scored, seen without computing it. */
  #alike(a: number, b: number): boolean {
    const { schedule, speed, uptime, capacity } = this.#snapshot.columns
    // Certain to have the full liquidity score.
    const ample = 5.000001 * Number(this.#amount)
    return (
      schedule[a] === schedule[b] &&
      speed[a] === speed[b] &&
      uptime[a] === uptime[b] &&
      (capacity[a] as number) > ample &&
      (capacity[b] as number) > ample
    )
  }

  contender(seat: number): Contender {
    return this.#snapshot.contenders[this.#places[seat] as number] as Contender
  }

  standing(seat: number): Standing {
    const { speed, good, checks, capacity } = this.contender(seat)
    return { fee: this.exactFee(seat), speed, good, checks, capacity }
  }

  exactFee(seat: number): Amount {
    const schedule = this.#snapshot.columns.schedule[this.#places[seat] as number] as number
    const known = this.#exactFees.get(schedule)
    if (known !== undefined) return known
    const fee = feeFor(this.contender(seat).fees, this.#amount)
    this.#exactFees.set(schedule, fee)
    return fee
  }
}
