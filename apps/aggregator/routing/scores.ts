import {
  perScore,
  scores as allScores,
  type PerScore,
  type ScoreName,
  type Weights,
} from '@windlass/contracts/aggregator/routing.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'

/** Weights as whole millionths, which sum to 1,000,000: exact in every comparison. */
export type PolicyWeights = PerScore<bigint>

const MILLION = 1_000_000

const known = new WeakMap<PolicyWeights, Weights>()

export function weightNumbers(weights: PolicyWeights): Weights {
  const numbers = known.get(weights) ?? perScore(({ name }) => Number(weights[name]) / MILLION)
  known.set(weights, numbers)
  return numbers
}

/** Weights as they are stored. A score that was added later has none. */
export const readWeightNumbers = (stored: Partial<Weights>): PolicyWeights =>
  perScore(({ name }) => BigInt(Math.round((stored[name] ?? 0) * MILLION)))

/** A score as an exact fraction; the denominator is positive. */
interface Fraction {
  over: bigint
  under: bigint
}

/** The facts that an eligible anchor's scores depend on. Amounts in units of 10^-7. */
export interface Scored {
  /** Fee and spread for the amount. */
  cost: bigint
  capacity: bigint
  facts: Facts
  /** Whether the amount is within the anchor's limits. */
  within: boolean
}

/** What all candidates of one decision share. */
export interface SharedFacts {
  amount: bigint
  /** The lowest cost among the eligible. */
  cheapest: bigint
  weights: PolicyWeights
}

/** The amount, the lowest cost and what is added to every cost, as numbers. */
interface RoundedTerms {
  amount: number
  cheapest: number
  added: number
}

/** All contenders at once, by place in the snapshot, in numbers. */
interface RoundedField extends RoundedTerms {
  /** Infinity where the contender is not eligible. */
  costs: Float64Array
  capacities: Float64Array
}

/** A score that depends on the anchor alone. The fact is kept in snapshots as JSON. */
interface FactRule<Fact> {
  factOf(entry: Entry, index: RegistryIndex): Fact
  exact(fact: Fact): Fraction
  /** Whether an anchor with the one fact may still be scored by the other. */
  isSame(a: Fact, b: Fact): boolean
}

/** A score that depends on the amount too. */
interface AmountRule {
  exact(scored: Scored, terms: SharedFacts): Fraction
  rounded(cost: number, capacity: number, terms: RoundedTerms): number
  /** Adds each contender's rounded score times the weight to `sums`: a loop of its own for each rule, for speed. */
  addRounded(sums: Float64Array, field: RoundedField, weight: number): void
}

const full: Fraction = { over: 100n, under: 1n }

/**
 * What is added to every cost before they are compared, so that the cheapest counts as a thousandth of the amount at least:
 * beside an anchor that takes nothing, all others would score 0 whatever they take.
 */
export const addedToCosts = ({ amount, cheapest }: Pick<SharedFacts, 'amount' | 'cheapest'>): bigint =>
  cheapest < amount / 1000n ? amount / 1000n - cheapest : 0n

const fee: AmountRule = {
  exact({ cost }, terms) {
    const added = addedToCosts(terms)
    return cost + added === 0n ? full : { over: 100n * (terms.cheapest + added), under: cost + added }
  },
  rounded: (cost, _capacity, { cheapest, added }) => {
    const own = cost + added
    return own === 0 ? 100 : (100 * (cheapest + added)) / own
  },
  addRounded(sums, { cheapest, added, costs }, weight) {
    const best = 100 * (cheapest + added)
    for (let place = 0; place < sums.length; place += 1) {
      const own = (costs[place] as number) + added
      sums[place] = (sums[place] as number) + weight * (own === 0 ? 100 : best / own)
    }
  },
}

const speeds = { instant: 100, under_60_minutes: 50, unknown: 0 }
const speed: FactRule<number> = {
  factOf: ({ settlement }) => speeds[settlement],
  exact: fact => ({ over: BigInt(fact), under: 1n }),
  isSame: (a, b) => a === b,
}

/**
 * Uptimes that differ by less are the same. The hour of an anchor that always answers the same has one check more or
 * fewer, depending on the moment; at 240 checks an hour, one with another result changes the uptime eight times as much.
 */
const UPTIME_STEP = 0.0005

const uptime: FactRule<[good: number, checks: number]> = {
  factOf(entry, index) {
    const { good, checks } = index.uptimeOf(entry)
    // A server that answers and takes nobody is of no use.
    return entry.seen.refusesStarts ? [0, Math.max(checks, 1)] : [good, checks]
  },
  exact: ([good, checks]) => (checks === 0 ? full : { over: 100n * BigInt(good), under: BigInt(checks) }),
  isSame([good, checks], [otherGood, otherChecks]) {
    if (checks === 0 || otherChecks === 0) return checks === otherChecks
    return Math.abs(good / checks - otherGood / otherChecks) < UPTIME_STEP
  },
}

const liquidity: AmountRule = {
  exact: ({ capacity }, { amount }) =>
    capacity >= 5n * amount ? full : { over: 20n * capacity, under: amount },
  rounded: (_cost, capacity, { amount }) => Math.min(100, (20 * capacity) / amount),
  addRounded(sums, { amount, capacities }, weight) {
    const perCapacity = 20 / amount
    for (let place = 0; place < sums.length; place += 1) {
      const score = (capacities[place] as number) * perCapacity
      sums[place] = (sums[place] as number) + weight * (score < 100 ? score : 100)
    }
  },
}

const rules = { fee, speed, uptime, liquidity } satisfies PerScore<AmountRule | FactRule<unknown>>

type FactOf<Rule> = Rule extends FactRule<infer Fact> ? Fact : never
/** By score. A fact that was not stored yet when the snapshot was taken is absent, and scores 0. */
export type Facts = { [name in ScoreName]?: FactOf<(typeof rules)[name]> }

/** The rules with their names, in the order of the contract. */
const named = allScores.map(({ name }) => {
  const rule = rules[name] as AmountRule | FactRule<unknown>
  return { name, rule, rounded: 'factOf' in rule ? null : rule.rounded }
})
const factRules = named.flatMap(({ name, rule }) => ('factOf' in rule ? [{ name, rule }] : []))
const amountRules = named.flatMap(({ name, rule }) => ('factOf' in rule ? [] : [{ name, rule }]))

/** How many scores depend on the anchor alone. */
export const FACTS = factRules.length

export function factsOf(entry: Entry, index: RegistryIndex): Facts {
  const facts: Record<string, unknown> = {}
  for (const { name, rule } of factRules) facts[name] = rule.factOf(entry, index)
  return facts
}

/** Whether an anchor may still be scored by facts of it that were read earlier. */
export const holds = (facts: Facts, entry: Entry, index: RegistryIndex): boolean =>
  factRules.every(({ name, rule }) => {
    const fact = facts[name]
    return fact !== undefined && rule.isSame(fact, rule.factOf(entry, index))
  })

function exactScore(name: ScoreName, scored: Scored, terms: SharedFacts): Fraction {
  const rule = rules[name] as AmountRule | FactRule<unknown>
  if (!('factOf' in rule)) return rule.exact(scored, terms)
  const fact = scored.facts[name]
  return fact === undefined ? { over: 0n, under: 1n } : rule.exact(fact)
}

/**
 * Displays the scores of a contender of one decision: each and their weighted sum, to four digits. Scores of the facts are
 * given in the order of the rules, cost and capacity as numbers.
 */
export function displayScores(
  terms: SharedFacts,
): (
  factScores: readonly number[],
  cost: number,
  capacity: number,
) => { score: number; scores: PerScore<number> } {
  const numbers = roundTerms(terms)
  const weights = named.map(({ name }) => Number(terms.weights[name]))
  return (factScores, cost, capacity) => {
    let [sum, fact] = [0, 0]
    const scores: Partial<PerScore<number>> = {}
    for (let n = 0; n < named.length; n += 1) {
      const { name, rounded } = named[n] as (typeof named)[number]
      const own = rounded === null ? (factScores[fact++] as number) : rounded(cost, capacity, numbers)
      sum += (own * (weights[n] as number)) / MILLION
      scores[name] = toFourDigits(own)
    }
    return { score: toFourDigits(sum), scores: scores as PerScore<number> }
  }
}

export const roundTerms = (terms: SharedFacts): RoundedTerms => ({
  amount: Number(terms.amount),
  cheapest: Number(terms.cheapest),
  added: Number(addedToCosts(terms)),
})

const toFourDigits = (score: number): number => Math.round(score * 10_000) / 10_000

function roundedFact(rule: FactRule<unknown>, fact: unknown): number {
  if (fact === undefined) return 0
  const { over, under } = rule.exact(fact)
  return Number(over) / Number(under)
}

/** The rounded scores that depend on the facts alone, in the order of the rules. */
export const roundedFactScores = (facts: Facts): number[] =>
  factRules.map(({ name, rule }) => roundedFact(rule, facts[name]))

/** The weighted sum of the scores that depend on the anchor alone, rounded, by place. */
export function sumFactScores(
  length: number,
  factScores: readonly Float64Array[],
  weights: PolicyWeights,
): Float64Array {
  const sums = new Float64Array(length)
  for (const [n, scores] of factScores.entries()) {
    const weight = Number(weights[(factRules[n] as (typeof factRules)[number]).name]) / MILLION
    for (let place = 0; place < length; place += 1) {
      sums[place] = (sums[place] as number) + weight * (scores[place] as number)
    }
  }
  return sums
}

/** Adds the scores that depend on the amount too. */
export function addAmountScores(sums: Float64Array, field: RoundedField, weights: PolicyWeights): void {
  for (const { name, rule } of amountRules) rule.addRounded(sums, field, Number(weights[name]) / MILLION)
}

/** The weighted sum of all scores, exact but for a factor of a million. */
function exactSum(scored: Scored, terms: SharedFacts): Fraction {
  return allScores.reduce<Fraction>(
    (sum, { name }) => {
      const { over, under } = exactScore(name, scored, terms)
      return {
        over: sum.over * under + terms.weights[name] * over * sum.under,
        under: sum.under * under,
      }
    },
    { over: 0n, under: 1n },
  )
}

/** Greater than 0 where `a` is the greater. */
function compareFractions(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/**
 * Less than 0 where `a` comes before `b`: the higher weighted sum, then the one whose limits the amount keeps, then the
 * higher fee score, then the higher uptime. The caller orders remaining ties by anchor id.
 */
export function compareScored(a: Scored, b: Scored, terms: SharedFacts): number {
  const byName = (name: ScoreName) => compareFractions(exactScore(name, b, terms), exactScore(name, a, terms))
  return (
    compareFractions(exactSum(b, terms), exactSum(a, terms)) ||
    Number(b.within) - Number(a.within) ||
    byName('fee') ||
    byName('uptime')
  )
}
