import type { EligibilityRule, PerScore } from '@windlass/contracts/aggregator/routing.ts'
import { amountOf, type Amount } from '@windlass/money/amount.ts'
import { feeFor, type FeeSchedule } from '@windlass/money/fee.ts'
import { rejectedBy, type RejectedAnchors } from './rejections.ts'
import {
  addAmountScores,
  compareScored,
  addedToCosts,
  displayScores,
  roundTerms,
  type PolicyWeights,
  type Scored,
  type SharedFacts,
} from './scores.ts'
import { fail, type Columns, type Contender, type FailingByRule, type Snapshot } from './snapshot.ts'

/** How many candidates an answer shows. */
const TOP = 20

/**
 * Buffers for the figures of a ranking. Each call of this file ends before the next begins, so all share them: two for each
 * would be memory that a full garbage collection has to find, many times a second.
 */
let rooms = { costs: new Float64Array(0), sums: new Float64Array(0) }

function roomsFor(length: number): typeof rooms {
  if (rooms.costs.length < length) {
    rooms = { costs: new Float64Array(2 * length), sums: new Float64Array(2 * length) }
  }
  return { costs: rooms.costs.subarray(0, length), sums: rooms.sums.subarray(0, length) }
}

/** A rule beside the hard filter's own; answers the rule a contender fails, or null. */
export type FurtherRule = (contender: Pick<Contender, 'anchorId' | 'limits'>) => EligibilityRule | null

/** True also where the limits are not known. */
export const keepsLimits = ({ limits }: Pick<Contender, 'limits'>, amount: Amount): boolean =>
  limits === null || (amount >= limits.min && amount <= limits.max)

/** A ranked anchor with all facts that its scores depend on. */
export interface Ranked {
  anchorId: string
  contender: Contender
  /** Whether the amount is within the limits; null where they are not known. */
  within: boolean | null
  /** For the amount. */
  fee: Amount
  /** The weighted sum and the scores, rounded for display. */
  score: number
  scores: PerScore<number>
}

/**
 * How all anchors that pass the hard filter are ordered. A class, since object literals with getters keep what those reach
 * until old objects are collected (ADR 0010).
 */
export class Ranking {
  readonly #field: Field
  readonly #places: readonly number[]
  /** Anchor id of the best; null where no anchor is eligible. */
  readonly winner: string | null
  /** Whether an eligible anchor takes the amount in one transaction. */
  readonly takesAmount: boolean

  constructor(field: Field) {
    this.#field = field
    this.#places = field.best()
    const [best] = this.#places
    this.winner = best === undefined ? null : field.anchorIdAt(best)
    // The best one mostly does.
    this.takesAmount = this.#places.some(place => field.keepsLimits(place)) || field.takesAmount()
  }

  get eligible(): number {
    return this.#field.eligible
  }

  /** The best twenty, best first. Made when it is read. */
  get top(): Ranked[] {
    return this.#places.map(place => this.#field.ranked(place))
  }

  /** Made when it is read. */
  get rejected(): RejectedAnchors {
    return this.#field.rejected()
  }
}

/**
 * The hard filter, the scores and the order of all anchors that pass. What an answer shows of it is made when it is read:
 * objects that wait for a decision to be stored are copied by the garbage collection, and places are small (ADR 0010).
 */
export const rank = (
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Ranking => new Ranking(new Field(snapshot, amount, weights, furtherRule))

/** All anchors that pass the hard filter, by id. */
export function everyEligible(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): { eligible: Ranked[]; rejected: RejectedAnchors } {
  const field = new Field(snapshot, amount, weights, furtherRule)
  return {
    eligible: Array.from(field.places(), place => field.ranked(place)),
    rejected: field.rejected(),
  }
}

/** One anchor in a ranking, with its rank where it was eligible; null where it is not in the snapshot. */
export function placeIn(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  anchorId: string,
): { ranked: Ranked; rank: number | null } | null {
  const place = snapshot.contenders.findIndex(contender => contender.anchorId === anchorId)
  if (place < 0) return null
  const field = new Field(snapshot, amount, weights)
  return { ranked: field.ranked(place), rank: field.rankOf(place) }
}

/**
 * The contenders of a snapshot with an amount to take. Rounded figures order them; wherever two are so close that
 * rounding could matter, the exact ones decide (ADR 0010).
 */
class Field {
  readonly terms: SharedFacts
  readonly eligible: number
  /** Anchors that fail a rule for this amount. */
  readonly failing: FailingByRule = {}
  readonly #snapshot: Snapshot
  readonly #amount: Amount
  /** Rounded, by place; Infinity where the contender is not eligible. */
  readonly #costs: Float64Array
  readonly #sums: Float64Array
  /** What the liquidity is scored by. */
  readonly #capacities: Float64Array
  /** Sums closer than this are compared exactly. */
  readonly #margin: number
  readonly #amountNumber: number
  readonly #display: ReturnType<typeof displayScores>

  constructor(snapshot: Snapshot, amount: Amount, weights: PolicyWeights, furtherRule?: FurtherRule) {
    this.#snapshot = snapshot
    this.#amount = amount
    this.#amountNumber = Number(amount)
    const { costs, sums } = roomsFor(snapshot.contenders.length)
    this.#costs = costs
    this.#sums = sums
    sums.set(snapshot.factSums(weights))
    this.#capacities = this.#scoredCapacities()
    this.#filter(roundCosts(costs, snapshot.columns, this.#amountNumber), furtherRule)
    this.eligible = snapshot.contenders.length - countOf(this.failing)
    const cheapest = this.#cheapest()
    this.terms = { amount, cheapest, weights }
    this.#display = displayScores(this.terms)
    // Half a unit of rounding in either cost moves the fee score by less than this.
    const least = cheapest + addedToCosts(this.terms)
    this.#margin = 1e-9 + (least === 0n ? 0 : 200 / Number(least))
    const field = { ...roundTerms(this.terms), costs: this.#costs, capacities: this.#capacities }
    addAmountScores(sums, field, weights)
  }

  /** An external anchor is known to take the amount, and no more: whatever it states, that is what it is scored by. */
  #scoredCapacities(): Float64Array {
    const { columns, contenders, hasExternal } = this.#snapshot
    if (!hasExternal) return columns.capacity
    return columns.capacity.map((capacity, place) =>
      contenders[place]?.unknown ? Math.min(capacity, this.#amountNumber) : capacity,
    )
  }

  /** Gives contenders that are not eligible an infinite cost and an infinitely low sum. */
  #filter(short: readonly number[], furtherRule: FurtherRule | undefined): void {
    for (const place of furtherRule ? this.#costs.keys() : short) {
      const rule = this.#failedRule(place, furtherRule)
      if (rule === null) continue
      fail(this.failing, rule, this.#at(place).anchorId)
      this.#costs[place] = Infinity
      this.#sums[place] = -Infinity
    }
  }

  #failedRule(place: number, furtherRule: FurtherRule | undefined): EligibilityRule | null {
    const failed = furtherRule?.(this.#at(place))
    if (failed) return failed
    return this.#costs[place] === Infinity || this.#at(place).capacity < this.#amount ? 'capacity' : null
  }

  /** The lowest cost, exact. */
  #cheapest(): Amount {
    const { lowest, near } = lowestOf(this.#costs)
    let cheapest: Amount | null = null
    for (const place of near) {
      const rounded = this.#costs[place] as number
      if (rounded > aboveRounding(lowest)) continue
      const cost = this.#exactCost(place)
      // Rounding can make a cost this small zero.
      if (rounded <= 2) this.#costs[place] = Number(cost)
      if (cheapest === null || cost < cheapest) cheapest = cost
    }
    return cheapest ?? amountOf(0n)
  }

  /** The places of the best, best first. */
  best(): number[] {
    return bestOf(this.#sums, this.#margin, (a, b) => this.#compare(a, b))
  }

  /** The places of all eligible contenders. */
  *places(): Iterable<number> {
    for (let place = 0; place < this.#costs.length; place += 1)
      if (this.#costs[place] !== Infinity) yield place
  }

  /** The rank of an eligible contender, from 1; null: it is not eligible. */
  rankOf(place: number): number | null {
    if (this.#costs[place] === Infinity) return null
    let rank = 1
    for (const other of this.places()) if (other !== place && this.#compare(other, place) < 0) rank += 1
    return rank
  }

  /** Less than 0 where `a` comes before `b`. Between equals the lower anchor id, which has the lower place. */
  #compare(a: number, b: number): number {
    const difference = (this.#sums[b] as number) - (this.#sums[a] as number)
    if (difference > this.#margin || difference < -this.#margin) return difference
    if (this.#isAlike(a, b)) return a - b
    return compareScored(this.#scored(a), this.#scored(b), this.terms) || a - b
  }

  /** Whether two are equal in everything that is scored, without computing the scores. */
  #isAlike(a: number, b: number): boolean {
    const { factScores } = this.#snapshot.columns
    const capacity = this.#capacities
    // Certain to have the full liquidity score.
    const ample = 5.000001 * this.#amountNumber
    return (
      (capacity[a] as number) > ample &&
      (capacity[b] as number) > ample &&
      factScores.every(scores => scores[a] === scores[b]) &&
      this.keepsLimits(a) === this.keepsLimits(b) &&
      isSameSchedule(this.#at(a).cost, this.#at(b).cost)
    )
  }

  ranked(place: number): Ranked {
    const contender = this.#at(place)
    const within = contender.limits && this.keepsLimits(place)
    const fee = feeFor(contender.fees, this.#amount)
    const capacity = this.#capacities[place] as number
    const cost = Number(contender.cost === contender.fees ? fee : this.#exactCost(place))
    const { score, scores } = this.#display(contender.rounded.factScores, cost, capacity)
    return { anchorId: contender.anchorId, contender, within, fee, score, scores }
  }

  #scored(place: number): Scored {
    const { capacity: stated, unknown, facts } = this.#at(place)
    const capacity = unknown && stated > this.#amount ? this.#amount : stated
    return { cost: this.#exactCost(place), capacity, facts, within: this.keepsLimits(place) }
  }

  keepsLimits(place: number): boolean {
    return keepsLimits(this.#at(place), this.#amount)
  }

  takesAmount(): boolean {
    for (const place of this.places()) if (this.keepsLimits(place)) return true
    return false
  }

  rejected(): RejectedAnchors {
    return rejectedBy(this.#snapshot.failing, this.failing)
  }

  anchorIdAt(place: number): string {
    return this.#at(place).anchorId
  }

  #exactCost(place: number): Amount {
    return feeFor(this.#at(place).cost, this.#amount)
  }

  #at(place: number): Contender {
    return this.#snapshot.contenders[place] as Contender
  }
}

// Loops over all contenders are functions over arrays of numbers: V8 compiles methods to slower code.

/**
 * Rounds each cost: Infinity where the capacity is less than the amount. Returns the places whose capacity is less or,
 * rounded, the same.
 */
function roundCosts(costs: Float64Array, { fixed, percentage, capacity }: Columns, amount: number): number[] {
  const short: number[] = []
  for (let place = 0; place < costs.length; place += 1) {
    const own = capacity[place] as number
    if (own <= amount) short.push(place)
    costs[place] = own < amount ? Infinity : (fixed[place] as number) + amount * (percentage[place] as number)
  }
  return short
}

/** A rounded cost is off by less than one unit and a few parts in 10^15. */
const aboveRounding = (cost: number): number => cost * (1 + 1e-12) + 2

/** The lowest cost, and places among which are all that rounding does not tell from it. */
function lowestOf(costs: Float64Array): { lowest: number; near: number[] } {
  const near: number[] = []
  let lowest = Infinity
  let bar = Infinity
  for (let place = 0; place < costs.length; place += 1) {
    const cost = costs[place] as number
    if (cost === Infinity || cost > bar) continue
    near.push(place)
    if (cost >= lowest) continue
    lowest = cost
    bar = aboveRounding(cost)
  }
  return { lowest, near }
}

/** The places of the best, best first. Sums closer than the margin are left to `compare`. */
function bestOf(sums: Float64Array, margin: number, compare: (a: number, b: number) => number): number[] {
  const best = new Int32Array(TOP)
  let found = 0
  // A sum below it cannot be among the best.
  let bar = -Infinity
  for (let place = 0; place < sums.length; place += 1) {
    const sum = sums[place] as number
    if (sum < bar || sum === -Infinity) continue
    let rank = found
    for (; rank > 0; rank -= 1) {
      const other = best[rank - 1] as number
      const ahead = sum - (sums[other] as number)
      const isAhead = ahead > margin || (ahead >= -margin && compare(place, other) < 0)
      if (!isAhead) break
      if (rank < TOP) best[rank] = other
    }
    if (rank === TOP) continue
    best[rank] = place
    if (found < TOP) found += 1
    if (found === TOP) bar = (sums[best[TOP - 1] as number] as number) - margin
  }
  return Array.from(best.subarray(0, found))
}

const countOf = (failing: FailingByRule): number =>
  Object.values(failing).reduce((sum, { count }) => sum + count, 0)

const isSameSchedule = (a: FeeSchedule, b: FeeSchedule): boolean =>
  a.fixed === b.fixed &&
  a.percentage.numerator === b.percentage.numerator &&
  a.percentage.digits === b.percentage.digits
