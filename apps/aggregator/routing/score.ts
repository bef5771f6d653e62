import type { Scores, Weights } from '@windlass/contracts/routing.ts'

/** Weights as whole millionths, which sum to 1,000,000: exact in every comparison. */
export interface PolicyWeights {
  fee: bigint
  speed: bigint
  uptime: bigint
  liquidity: bigint
}

const MILLION = 1_000_000

/** What an eligible anchor is scored by. Amounts in units of 10^-7. */
export interface Standing {
  fee: bigint
  /** 100 instant, 50 under 60 minutes. */
  speed: number
  /** Checks of the last hour. */
  good: number
  checks: number
  capacity: bigint
}

/** What all candidates of one decision share. */
export interface Terms {
  amount: bigint
  /** The lowest fee among the eligible. */
  cheapest: bigint
  weights: PolicyWeights
}

/** A score as an exact fraction; the denominator is positive. */
export interface Fraction {
  over: bigint
  under: bigint
}

/**
 * The weighted sum of the four scores times a million, exact:
 * fee 100 × cheapest / own (an own fee of 0: 100), speed, uptime 100 × good / checks (no checks: 100),
 * liquidity min(100, 20 × capacity / amount).
 */
export function exactScore(standing: Standing, { amount, cheapest, weights }: Terms): Fraction {
  const fee = standing.fee === 0n ? { over: 100n, under: 1n } : { over: 100n * cheapest, under: standing.fee }
  const uptime =
    standing.checks === 0
      ? { over: 100n, under: 1n }
      : { over: 100n * BigInt(standing.good), under: BigInt(standing.checks) }
  const liquid = 20n * standing.capacity
  const liquidity = liquid >= 100n * amount ? { over: 100n, under: 1n } : { over: liquid, under: amount }
  const under = fee.under * uptime.under * liquidity.under
  const over =
    weights.fee * fee.over * uptime.under * liquidity.under +
    weights.speed * BigInt(standing.speed) * under +
    weights.uptime * uptime.over * fee.under * liquidity.under +
    weights.liquidity * liquidity.over * fee.under * uptime.under
  return { over, under }
}

/** Greater than 0 where `a` is the greater. */
export function compareFractions(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/**
 * Less than 0 where `a` comes before `b`: the higher score, then the higher fee score, then the higher uptime. What
 * still ties is ordered by anchor id, which is the caller's.
 */
export function compareStandings(a: Standing, b: Standing, terms: Terms): number {
  const byScore = compareFractions(exactScore(b, terms), exactScore(a, terms))
  if (byScore !== 0) return byScore
  return compareFeeScores(a.fee, b.fee, terms.cheapest) || compareFractions(uptimeOf(b), uptimeOf(a))
}

/** Less than 0 where the first fee scores higher. Beside one that costs nothing every other fee scores 0. */
export function compareFeeScores(a: bigint, b: bigint, cheapest: bigint): number {
  if (a === b || (cheapest === 0n && a !== 0n && b !== 0n)) return 0
  return a < b ? -1 : 1
}

const uptimeOf = ({ good, checks }: Standing): Fraction =>
  checks === 0 ? { over: 1n, under: 1n } : { over: BigInt(good), under: BigInt(checks) }

interface TenThousandths {
  score: number
  fee: number
  speed: number
  uptime: number
  liquidity: number
}

/** Terms as numbers, good enough to show scores by. */
export interface RoundedTerms {
  amount: number
  cheapest: number
  weights: Weights
}

export const roundTerms = ({ amount, cheapest, weights }: Terms): RoundedTerms => ({
  amount: Number(amount),
  cheapest: Number(cheapest),
  weights: shownWeights(weights),
})

/** The four scores and their weighted sum in whole ten thousandths, as they are shown. */
export function shownTenThousandths(
  { fee: ownFee, speed, good, checks, capacity }: Standing,
  { amount, cheapest, weights }: RoundedTerms,
): TenThousandths {
  const fee = ownFee === 0n ? 100 : (100 * cheapest) / Number(ownFee)
  const uptime = checks === 0 ? 100 : (100 * good) / checks
  const liquidity = Math.min(100, (20 * Number(capacity)) / amount)
  const sum =
    weights.fee * fee + weights.speed * speed + weights.uptime * uptime + weights.liquidity * liquidity
  return {
    score: Math.round(sum * SHOWN),
    fee: Math.round(fee * SHOWN),
    speed: speed * SHOWN,
    uptime: Math.round(uptime * SHOWN),
    liquidity: Math.round(liquidity * SHOWN),
  }
}

const SHOWN = 10_000

/** The same as numbers with four digits. */
export function shownScores(standing: Standing, terms: Terms): { score: number; scores: Scores } {
  const { score, fee, speed, uptime, liquidity } = shownTenThousandths(standing, roundTerms(terms))
  return {
    score: score / SHOWN,
    scores: {
      fee: fee / SHOWN,
      speed: speed / SHOWN,
      uptime: uptime / SHOWN,
      liquidity: liquidity / SHOWN,
    },
  }
}

export const shownWeights = (weights: PolicyWeights): Weights => ({
  fee: Number(weights.fee) / MILLION,
  speed: Number(weights.speed) / MILLION,
  uptime: Number(weights.uptime) / MILLION,
  liquidity: Number(weights.liquidity) / MILLION,
})
