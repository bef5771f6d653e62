import type { EligibilityRule, PerScore } from '@windlass/contracts/routing.ts'
import { amountOf, type Amount } from '@windlass/money/amount.ts'
import { feeFor, type FeeSchedule } from '@windlass/money/fee.ts'
import { rejectedBy, type RejectedAnchors } from './rejections.ts'
import {
  addAmountScores,
  compareScored,
  displayScores,
  type PolicyWeights,
  type Scored,
  type Terms,
} from './scores.ts'
import { fail, type Columns, type Contender, type FailingByRule, type Snapshot } from './snapshot.ts'

/** How many candidates an answer shows. */
const TOP = 20

/** Rooms for the figures of a ranking. Each call of this file is over before the next begins, so all share them. */
let rooms = { fees: new Float64Array(0), sums: new Float64Array(0) }

function roomsFor(length: number): typeof rooms {
  if (rooms.fees.length < length) {
    rooms = { fees: new Float64Array(2 * length), sums: new Float64Array(2 * length) }
  }
  return { fees: rooms.fees.subarray(0, length), sums: rooms.sums.subarray(0, length) }
}

/** A rule beside the hard filter's own; answers the rule a contender fails, or null. */
export type FurtherRule = (contender: { anchorId: string }) => EligibilityRule | null

/** A ranked anchor with all it was scored by. */
export interface Ranked {
  anchorId: string
  slug: string
  domain: string
  issuer: string
  limits: Contender['limits']
  /** Whether the amount is within the limits; null where they are not known. */
  within: boolean | null
  /** Of an external anchor, what is not known of it; null for our own. */
  unknown: Contender['unknown']
  /** For the amount. */
  fee: Amount
  /** The weighted sum and the scores, rounded for display. */
  score: number
  scores: PerScore<number>
}

export interface Ranking {
  /** The best twenty, best first. */
  top: Ranked[]
  eligible: number
  rejected: RejectedAnchors
}

/** The hard filter, the scores and the order of all who pass. */
export function rank(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Ranking {
  const field = new Field(snapshot, amount, weights, furtherRule)
  const { eligible, failing } = field
  return {
    top: field.best().map(place => field.ranked(place)),
    eligible,
    rejected: rejectedBy(snapshot.failing, failing),
  }
}

/** All who pass the hard filter, by id. */
export function everyEligible(
  snapshot: Snapshot,
  amount: Amount,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): { eligible: Ranked[]; rejected: RejectedAnchors } {
  const field = new Field(snapshot, amount, weights, furtherRule)
  return {
    eligible: Array.from(field.places(), place => field.ranked(place)),
    rejected: rejectedBy(snapshot.failing, field.failing),
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
  readonly terms: Terms
  readonly eligible: number
  /** Who fails a rule for this amount. */
  readonly failing: FailingByRule = {}
  readonly #snapshot: Snapshot
  readonly #amount: Amount
  /** Rounded, by place; Infinity where the contender is not eligible. */
  readonly #fees: Float64Array
  readonly #sums: Float64Array
  /** What the liquidity is scored by. */
  readonly #capacities: Float64Array
  /** Sums closer than this are compared exactly. */
  readonly #margin: number
  readonly #amountNumber: number
  readonly #display: ReturnType<typeof displayScores>
  #last: { fees: FeeSchedule; fee: Amount } | undefined

  constructor(snapshot: Snapshot, amount: Amount, weights: PolicyWeights, furtherRule?: FurtherRule) {
    this.#snapshot = snapshot
    this.#amount = amount
    this.#amountNumber = Number(amount)
    const { fees, sums } = roomsFor(snapshot.contenders.length)
    this.#fees = fees
    this.#capacities = this.#scoredCapacities()
    const lowest = this.#takeFees(furtherRule)
    this.eligible = snapshot.contenders.length - countOf(this.failing)
    const cheapest = this.#cheapest(lowest)
    this.terms = { amount, cheapest, weights }
    this.#display = displayScores(this.terms)
    // Half a unit of rounding in either fee moves the fee score by less than this.
    this.#margin = 1e-9 + (cheapest === 0n ? 0 : 200 / Number(cheapest))
    const field = {
      amount: this.#amountNumber,
      cheapest: Number(cheapest),
      fees: this.#fees,
      capacities: this.#capacities,
    }
    sums.set(snapshot.factSums(weights))
    this.#sums = addAmountScores(sums, field, weights)
  }

  /** An external anchor is known to take the amount, and no more: whatever it states, that is what it is scored by. */
  #scoredCapacities(): Float64Array {
    const { columns, contenders, hasExternal } = this.#snapshot
    if (!hasExternal) return columns.capacity
    return columns.capacity.map((capacity, place) =>
      contenders[place]?.unknown ? Math.min(capacity, this.#amountNumber) : capacity,
    )
  }

  /** Returns the lowest, rounded. */
  #takeFees(furtherRule: FurtherRule | undefined): number {
    const fees = this.#fees
    const inDoubt = roundFees(fees, this.#snapshot.columns, this.#amountNumber)
    for (const place of furtherRule ? fees.keys() : inDoubt) {
      const rule = this.#failedRule(place, furtherRule)
      if (rule === null) continue
      fail(this.failing, rule, this.#at(place).anchorId)
      fees[place] = Infinity
    }
    const lowest = lowestOf(fees)
    // Rounding may make a fee this small nothing.
    for (const place of lowest < 2 ? placesUpTo(fees, 2) : []) fees[place] = Number(this.#exactFee(place))
    return lowest
  }

  #failedRule(place: number, furtherRule: FurtherRule | undefined): EligibilityRule | null {
    const contender = this.#at(place)
    return furtherRule?.(contender) ?? (contender.capacity < this.#amount ? 'capacity' : null)
  }

  /** A rounded fee is off by less than one unit and a few parts in 10^15. */
  #cheapest(lowest: number): Amount {
    if (lowest === Infinity) return amountOf(0n)
    let cheapest: Amount | null = null
    for (const place of placesUpTo(this.#fees, lowest * (1 + 1e-12) + 2)) {
      const fee = this.#exactFee(place)
      if (cheapest === null || fee < cheapest) cheapest = fee
    }
    return cheapest ?? amountOf(0n)
  }

  /** The places of the best, best first. */
  best(): number[] {
    return bestOf(this.#sums, this.#fees, this.#margin, (a, b) => this.#compare(a, b))
  }

  /** The places of all who are eligible. */
  *places(): Iterable<number> {
    for (let place = 0; place < this.#fees.length; place += 1) if (this.#fees[place] !== Infinity) yield place
  }

  /** The rank of one who is eligible, from 1; null: it is not. */
  rankOf(place: number): number | null {
    if (this.#fees[place] === Infinity) return null
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

  /** Equal in everything that is scored, seen without computing it. */
  #isAlike(a: number, b: number): boolean {
    const { factScores } = this.#snapshot.columns
    const capacity = this.#capacities
    // Certain to have the full liquidity score.
    const ample = 5.000001 * this.#amountNumber
    return (
      (capacity[a] as number) > ample &&
      (capacity[b] as number) > ample &&
      factScores.every(scores => scores[a] === scores[b]) &&
      this.#keepsLimits(a) === this.#keepsLimits(b) &&
      isSameSchedule(this.#at(a).fees, this.#at(b).fees)
    )
  }

  ranked(place: number): Ranked {
    const { anchorId, slug, domain, issuer, limits, unknown, rounded } = this.#at(place)
    const within = limits && this.#keepsLimits(place)
    const fee = this.#exactFee(place)
    const capacity = this.#capacities[place] as number
    const { score, scores } = this.#display(Number(fee), capacity, rounded.factScores)
    return {
      anchorId,
      slug,
      domain,
      issuer,
      limits,
      within,
      unknown,
      fee,
      score,
      scores,
    }
  }

  #scored(place: number): Scored {
    const { capacity: stated, unknown, facts } = this.#at(place)
    const capacity = unknown && stated > this.#amount ? this.#amount : stated
    return { fee: this.#exactFee(place), capacity, facts, within: this.#keepsLimits(place) }
  }

  /** True also where the limits are not known. */
  #keepsLimits(place: number): boolean {
    const { limits } = this.#at(place)
    return limits === null || (this.#amount >= limits.min && this.#amount <= limits.max)
  }

  /** Many anchors have the same fees: the last one is kept. */
  #exactFee(place: number): Amount {
    const { fees } = this.#at(place)
    if (!this.#last || !isSameSchedule(this.#last.fees, fees)) {
      this.#last = { fees, fee: feeFor(fees, this.#amount) }
    }
    return this.#last.fee
  }

  #at(place: number): Contender {
    return this.#snapshot.contenders[place] as Contender
  }
}

// Loops over all contenders are functions over arrays of numbers: V8 makes slower code of them as methods.

/** Rounds each fee. Returns the places whose capacity, rounded, is not above the amount. */
function roundFees(fees: Float64Array, columns: Columns, amount: number): number[] {
  const { fixed, percentage, capacity } = columns
  const inDoubt: number[] = []
  for (let place = 0; place < fees.length; place += 1) {
    fees[place] = (fixed[place] as number) + amount * (percentage[place] as number)
    if ((capacity[place] as number) <= amount) inDoubt.push(place)
  }
  return inDoubt
}

function lowestOf(fees: Float64Array): number {
  let lowest = Infinity
  for (let place = 0; place < fees.length; place += 1) {
    if ((fees[place] as number) < lowest) lowest = fees[place] as number
  }
  return lowest
}

function placesUpTo(fees: Float64Array, most: number): number[] {
  const places: number[] = []
  for (let place = 0; place < fees.length; place += 1) {
    if ((fees[place] as number) <= most) places.push(place)
  }
  return places
}

/** The places of the best, best first. Sums closer than the margin are left to `compare`. */
function bestOf(
  sums: Float64Array,
  fees: Float64Array,
  margin: number,
  compare: (a: number, b: number) => number,
): number[] {
  const best = new Int32Array(TOP)
  let found = 0
  // A sum below it cannot be among the best.
  let bar = -Infinity
  for (let place = 0; place < sums.length; place += 1) {
    const sum = sums[place] as number
    if (sum < bar || fees[place] === Infinity) continue
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
