import type { Amount } from '@windlass/money/amount.ts'
import { getOrMake } from '../get-or-make.ts'
import { NAMED } from '../registry/offers.ts'
import { shownWeights, type PolicyWeights } from './score.ts'
import { fail, type Failing, type FailingByRule, type Snapshot } from './snapshot.ts'

/** How many candidates an answer shows. */
export const TOP = 20
/** Amounts that share a shortlist differ by at most the fourth root of 2. */
const STEPS_PER_DOUBLING = 4
/** More than any rounding of the figures here. */
const SLACK = 1e-9

/**
 * Of a snapshot's contenders those who may be among the best, or the cheapest, for some amount of a narrow range.
 * Everyone else is passed over without being looked at.
 */
export interface Shortlist {
  /** In their order. */
  places: Int32Array
  /** Eligible, and lacking capacity, whatever the amount. */
  eligible: number
  lacking: Failing
  /** Whose capacity lies within the range. */
  undecided: number[]
}

/** By range; null: asked for once. */
type ByRange = Map<number, Shortlist | null>
const known = new WeakMap<Snapshot, Map<PolicyWeights, ByRange>>()

/**
 * Worked out once for all amounts of a range, as long as the snapshot and the weights serve. Null the first time:
 * looking at everyone once takes less than working out whom to look at.
 */
export function shortlistFor(snapshot: Snapshot, amount: Amount, weights: PolicyWeights): Shortlist | null {
  const byWeights = getOrMake(known, snapshot, () => new Map<PolicyWeights, ByRange>())
  const byRange = getOrMake(byWeights, weights, (): ByRange => new Map())
  const range = rangeOf(amount)
  const before = byRange.get(range)
  if (before) return before
  const made = before === undefined ? null : shortlist(snapshot, weights, range)
  byRange.set(range, made)
  return made
}

/** The range an amount is in: all of a range share a number. */
const rangeOf = (amount: Amount): number => Math.floor(Math.log2(Number(amount)) * STEPS_PER_DOUBLING)

/**
 * Both ends of the range decide: a fee is linear in the amount, so the ratio of two fees is greatest and least at the
 * ends; and the least of many fees, being concave, never lies below the line between its ends.
 */
function shortlist(snapshot: Snapshot, weights: PolicyWeights, range: number): Shortlist {
  const low = 2 ** (range / STEPS_PER_DOUBLING) * (1 - SLACK)
  const high = 2 ** ((range + 1) / STEPS_PER_DOUBLING) * (1 + SLACK)
  const { capacity } = snapshot.columns
  const failing: FailingByRule = {}
  const possible: number[] = []
  const undecided: number[] = []
  for (const [place, { anchorId }] of snapshot.contenders.entries()) {
    const free = capacity[place] as number
    if (free < low) {
      fail(failing, 'capacity', anchorId)
      continue
    }
    possible.push(place)
    if (free <= high) undecided.push(place)
  }
  return {
    places: Int32Array.from(promising(snapshot, weights, possible, { low, high })),
    eligible: possible.length - undecided.length,
    lacking: failing.capacity ?? { count: 0, first: [] },
    undecided,
  }
}

function promising(
  { columns }: Snapshot,
  weights: PolicyWeights,
  possible: number[],
  { low, high }: { low: number; high: number },
): number[] {
  const { feeFixed, feePercentage, speed, uptime, capacity } = columns
  const feeAt = (place: number, amount: number) =>
    (feeFixed[place] as number) + amount * (feePercentage[place] as number)
  const sure = possible.filter(place => (capacity[place] as number) > high)
  const cheapest = { low: least(possible, p => feeAt(p, low)), high: least(possible, p => feeAt(p, high)) }
  // Too few to leave anyone out, or fees so small that rounding to a unit tells in the score.
  if (sure.length < TOP || cheapest.low.fee < 1_000) return possible
  const bars = [least(sure, p => feeAt(p, low)).place, least(sure, p => feeAt(p, high)).place]

  /** At most, of the cheapest fee in a place's own. */
  const shareAtMost = (place: number): number => {
    const [atLow, atHigh] = [feeAt(place, low), feeAt(place, high)]
    return bars.reduce((most, bar) => {
      return Math.min(most, Math.max(feeAt(bar, low) / atLow, feeAt(bar, high) / atHigh))
    }, 1)
  }
  const shareAtLeast = (place: number): number =>
    Math.min(cheapest.low.fee / feeAt(place, low), cheapest.high.fee / feeAt(place, high))
  const per = shownWeights(weights)
  const score = (place: number, feeShare: number, amount: number): number =>
    per.fee * 100 * feeShare +
    per.speed * (speed[place] as number) +
    per.uptime * 100 * (uptime[place] as number) +
    per.liquidity * 100 * Math.min(1, (capacity[place] as number) / (5 * amount))

  const sureScores = Float64Array.from(sure, place => score(place, shareAtLeast(place), high)).sort()
  // Half a unit of rounding in each fee moves a score by less than the last term.
  const bar = (sureScores.at(-TOP) as number) - SLACK - 400 / cheapest.low.fee
  const nearCheapest = 1 - SLACK - 4 / cheapest.low.fee
  return possible.filter(place => {
    const share = shareAtMost(place)
    return share >= nearCheapest || score(place, share, low) >= bar
  })
}

function least(places: readonly number[], feeOf: (place: number) => number): { place: number; fee: number } {
  let found = { place: -1, fee: Infinity }
  for (const place of places) {
    const fee = feeOf(place)
    if (fee < found.fee) found = { place, fee }
  }
  return found
}

/** Of everyone in the snapshot, how many are eligible for an amount and who lacks the capacity. */
export function capacityFor(
  { contenders }: Snapshot,
  { undecided, eligible, lacking }: Shortlist,
  amount: Amount,
): { eligible: number; lacking: Failing } {
  if (undecided.length === 0) return { eligible, lacking }
  const short = undecided.flatMap(place => {
    const contender = contenders[place]
    return contender && contender.capacity < amount ? contender.anchorId : []
  })
  return {
    eligible: eligible + undecided.length - short.length,
    lacking: {
      count: lacking.count + short.length,
      first: [...lacking.first, ...short].sort().slice(0, NAMED),
    },
  }
}
