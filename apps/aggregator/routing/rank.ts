import { eligibilityRules, type EligibilityRule } from '@windlass/contracts/routing.ts'
import type { Amount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import type { Entry } from '../registry/entry.ts'
import type { Slots } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { ruleOfStanding } from './eligibility.ts'
import { compareFeeScores, compareStandings, type PolicyWeights, type Standing, type Terms } from './score.ts'
import type { Transaction } from './transaction.ts'

/** How many candidates an answer shows. */
export const TOP = 20
/** How many rejected anchors it names. */
const EXAMPLES = 20
// Beyond the top, those whom no other equals or beats in everything are kept for replays; so many are plenty.
const KEPT_AT_MOST = 64

/** An eligible anchor with all it is scored by. */
export interface Contender extends Standing {
  anchorId: string
  slug: string
}

export interface Ranking {
  /** The best {@link TOP}, best first. */
  top: Contender[]
  /** Whoever else could win under some weights: not equalled or beaten in all four by anyone kept. */
  others: Contender[]
  eligible: number
  terms: Terms
  rejected: RejectedAnchors
}

export interface RejectedAnchors {
  byRule: { [rule in EligibilityRule]?: number }
  examples: { anchorId: string; rule: EligibilityRule }[]
}

/** A rule beside the hard filter's own; answers the rule an anchor fails, or null. */
export type FurtherRule = (entry: Entry) => EligibilityRule | null

/** The hard filter, the four scores and the order of all who pass. */
export function rank(
  index: RegistryIndex,
  transaction: Transaction,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Ranking {
  const filtered = filterAnchors(index, transaction, furtherRule)
  const field = new Field(index, transaction.amount, filtered.eligible, weights)
  const top = field.best()
  const others = field.unmatchedBy(top)
  return {
    top: top.map(place => field.contender(place)),
    others: others.map(place => field.contender(place)),
    eligible: filtered.eligible.length,
    terms: field.terms,
    rejected: filtered.rejected,
  }
}

export interface Filtered {
  /** In the order of anchor ids. */
  eligible: number[]
  rejected: RejectedAnchors
}

/** The hard filter alone. */
export function filterAnchors(
  index: RegistryIndex,
  transaction: Transaction,
  furtherRule?: FurtherRule,
): Filtered {
  const supporters = index.offers.supporters(transaction)
  const { standing, capacity } = index.columns
  const needed = Number(transaction.amount)
  const eligible: number[] = []
  const failed = new Rejections(index)
  for (const slot of supporters.region) {
    const free = capacity[slot] as number
    const rule = ruleOfStanding(standing[slot] as number) ?? furtherRule?.(index.at(slot))
    if (rule) failed.add(rule, slot)
    else if (free > needed || (free === needed && covers(index, slot, transaction.amount)))
      eligible.push(slot)
    else failed.add('capacity', slot)
  }
  failed.addDifference('region', supporters.rail, supporters.region)
  failed.addDifference('rail', supporters.asset, supporters.rail)
  failed.addDifference('asset', supporters.all, supporters.asset)
  return { eligible, rejected: failed.summary() }
}

// Equal when rounded: the exact values decide.
const covers = (index: RegistryIndex, slot: number, amount: Amount) =>
  index.freeCapacity(index.at(slot)) >= amount

/** Counts by rule and the first anchors under each. */
class Rejections {
  readonly #index: RegistryIndex
  readonly #counts = new Map<EligibilityRule, number>()
  readonly #slots = new Map<EligibilityRule, number[]>()

  constructor(index: RegistryIndex) {
    this.#index = index
  }

  add(rule: EligibilityRule, slot: number): void {
    this.count(rule, 1)
    const slots = this.#slots.get(rule)
    if (!slots) this.#slots.set(rule, [slot])
    else if (slots.length < EXAMPLES) slots.push(slot)
  }

  count(rule: EligibilityRule, by: number): void {
    if (by > 0) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + by)
  }

  /** Those in the wider list and not in the narrower, both in the same order. */
  addDifference(rule: EligibilityRule, wider: Slots, narrower: Slots): void {
    const missing = wider.length - narrower.length
    this.count(rule, missing)
    const slots: number[] = []
    for (let at = 0, other = 0; at < wider.length && slots.length < Math.min(missing, EXAMPLES); at += 1) {
      if (wider[at] === narrower[other]) other += 1
      else slots.push(wider[at] as number)
    }
    this.#slots.set(rule, slots)
  }

  summary(): RejectedAnchors {
    const byRule: RejectedAnchors['byRule'] = {}
    for (const rule of eligibilityRules) {
      const count = this.#counts.get(rule)
      if (count !== undefined) byRule[rule] = count
    }
    return { byRule, examples: this.#examples() }
  }

  /** Near misses first, the rules taking turns. */
  #examples(): RejectedAnchors['examples'] {
    const lists = [...eligibilityRules].reverse().map(rule => ({ rule, slots: this.#slots.get(rule) ?? [] }))
    const examples: RejectedAnchors['examples'] = []
    for (let turn = 0; turn < EXAMPLES && examples.length < EXAMPLES; turn += 1) {
      for (const { rule, slots } of lists) {
        const slot = slots[turn]
        if (slot === undefined || examples.length === EXAMPLES) continue
        examples.push({ anchorId: this.#index.at(slot).id, rule })
      }
    }
    return examples
  }
}

/**
 * The eligible anchors and their order. Rounded figures find the few that may be among the best; wherever two are so
 * close that rounding could matter, the exact ones decide. Places are positions in the list of eligible slots, which
 * is ordered by anchor id: between equals the lower place is first.
 */
class Field {
  readonly terms: Terms
  readonly #index: RegistryIndex
  readonly #amount: Amount
  readonly #slots: readonly number[]
  readonly #fees: Float64Array
  readonly #uptimes: Float64Array
  readonly #liquidity: Float64Array
  readonly #scores: Float64Array
  readonly #exactFees = new Map<number, Amount>()
  /** Scores closer than this are compared exactly. */
  #margin = 0

  constructor(index: RegistryIndex, amount: Amount, slots: readonly number[], weights: PolicyWeights) {
    this.#index = index
    this.#amount = amount
    this.#slots = slots
    this.#fees = new Float64Array(slots.length)
    this.#uptimes = new Float64Array(slots.length)
    this.#liquidity = new Float64Array(slots.length)
    this.#scores = new Float64Array(slots.length)
    const cheapest = this.#takeFees()
    this.terms = { amount, cheapest, weights }
    this.#takeScores()
  }

  #takeFees(): Amount {
    const { feeFixed, feePercentage } = this.#index.columns
    const amount = Number(this.#amount)
    let lowest = Infinity
    for (let place = 0; place < this.#slots.length; place += 1) {
      const slot = this.#slots[place] as number
      const fee = (feeFixed[slot] as number) + amount * (feePercentage[slot] as number)
      this.#fees[place] = fee
      if (fee < lowest) lowest = fee
    }
    return this.#cheapest(lowest)
  }

  /** A rounded fee is off by less than one unit and a few parts in 10^15. */
  #cheapest(lowest: number): Amount {
    const near = lowest * (1 + 1e-12) + 2
    let cheapest: Amount | null = null
    for (let place = 0; place < this.#fees.length; place += 1) {
      if ((this.#fees[place] as number) > near) continue
      const fee = this.#exactFee(place)
      if (cheapest === null || fee < cheapest) cheapest = fee
    }
    return cheapest ?? (0n as Amount)
  }

  #takeScores(): void {
    const { speed, capacity } = this.#index.columns
    const { good, checks } = this.#index.uptime
    const { weights } = this.terms
    const amount = Number(this.#amount)
    const cheapest = Number(this.terms.cheapest)
    const [fee, uptime, liquidity] = [weights.fee, weights.uptime, weights.liquidity].map(
      weight => Number(weight) / 10_000,
    ) as [number, number, number]
    const perSpeed = Number(weights.speed) / 1_000_000
    // Half a unit of rounding in either fee moves the fee score by less than this.
    this.#margin = 1e-9 + (cheapest === 0 ? Infinity : 200 / cheapest)
    for (let place = 0; place < this.#slots.length; place += 1) {
      const slot = this.#slots[place] as number
      const asked = checks[slot] ?? 0
      const up = asked === 0 ? 1 : (good[slot] as number) / asked
      const liquid = Math.min(1, (0.2 * (capacity[slot] as number)) / amount)
      this.#uptimes[place] = up
      this.#liquidity[place] = liquid
      this.#scores[place] =
        (fee * cheapest) / (this.#fees[place] as number) +
        perSpeed * (speed[slot] as number) +
        uptime * up +
        liquidity * liquid
    }
  }

  /** The places of the best, best first. */
  best(): number[] {
    const best: number[] = []
    for (let place = 0; place < this.#slots.length; place += 1) {
      if (best.length === TOP && !this.#isBefore(place, best[TOP - 1] as number)) continue
      let at = best.length
      while (at > 0 && this.#isBefore(place, best[at - 1] as number)) at -= 1
      best.splice(at, 0, place)
      if (best.length > TOP) best.pop()
    }
    return best
  }

  /** Whether `later`, a higher place than `earlier`, comes before it in the ranking. */
  #isBefore(later: number, earlier: number): boolean {
    const difference = (this.#scores[later] as number) - (this.#scores[earlier] as number)
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
      this.#uptimes[a] === this.#uptimes[b] &&
      this.#isAmple(one) &&
      this.#isAmple(two)
    )
  }

  /** Certain to have the full liquidity score. */
  #isAmple(slot: number): boolean {
    return (this.#index.columns.capacity[slot] as number) > 5.000001 * Number(this.#amount)
  }

  /** Places beyond `best` that nobody kept equals or beats in everything. */
  unmatchedBy(best: readonly number[]): number[] {
    if (this.#slots.length <= best.length) return []
    const kept = [...best]
    const chosen = new Set(best)
    let last = 0
    for (let place = 0; place < this.#slots.length && kept.length < best.length + KEPT_AT_MOST; place += 1) {
      if (this.#matches(kept[last] as number, place) || chosen.has(place)) continue
      const match = kept.findIndex(other => this.#matches(other, place))
      if (match === -1) kept.push(place)
      else last = match
    }
    return kept.slice(best.length)
  }

  /** Whether one comes before the other under any weights: level or better in all four, and in what breaks ties. */
  #matches(one: number, other: number): boolean {
    const { speed } = this.#index.columns
    const moreUp = (this.#uptimes[one] as number) - (this.#uptimes[other] as number)
    if (
      moreUp < 0 ||
      (this.#liquidity[one] as number) < (this.#liquidity[other] as number) ||
      (speed[this.#slots[one] as number] as number) < (speed[this.#slots[other] as number] as number)
    )
      return false
    const byFee = this.#compareFees(one, other)
    return byFee < 0 || (byFee === 0 && (moreUp > 0 || one < other))
  }

  #compareFees(one: number, other: number): number {
    const { feeSchedule } = this.#index.columns
    if (feeSchedule[this.#slots[one] as number] === feeSchedule[this.#slots[other] as number]) return 0
    const gap = (this.#fees[other] as number) - (this.#fees[one] as number)
    if (this.terms.cheapest > 0n && Math.abs(gap) > 2 + (this.#fees[other] as number) * 1e-12) return -gap
    return compareFeeScores(this.#exactFee(one), this.#exactFee(other), this.terms.cheapest)
  }

  contender(place: number): Contender {
    const { id, slug } = this.#entry(place)
    return { anchorId: id, slug, ...this.#standing(place) }
  }

  #standing(place: number): Standing {
    const slot = this.#slots[place] as number
    return {
      fee: this.#exactFee(place),
      speed: this.#index.columns.speed[slot] as number,
      good: this.#index.uptime.good[slot] ?? 0,
      checks: this.#index.uptime.checks[slot] ?? 0,
      capacity: this.#index.freeCapacity(this.#entry(place)),
    }
  }

  #exactFee(place: number): Amount {
    const schedule = this.#index.columns.feeSchedule[this.#slots[place] as number] as number
    const known = this.#exactFees.get(schedule)
    if (known !== undefined) return known
    const fee = feeFor(this.#entry(place).fees, this.#amount)
    this.#exactFees.set(schedule, fee)
    return fee
  }

  #entry(place: number): Entry {
    return this.#index.at(this.#slots[place] as number)
  }
}
