import {
  perScore,
  scores as allScores,
  type Candidate,
  type PerScore,
  type Scores,
  type Weights,
} from '@windlass/contracts/aggregator/routing.ts'

/** Weights as typed. */
export type TypedWeights = PerScore<string>

const MILLION = 1_000_000
export const WEIGHT_DECIMALS = 6

/** A weight in millionths, so that 0.1 + 0.2 is 0.3; undefined for other text. */
export function millionths(text: string): number | undefined {
  if (!/^(0|1)(\.\d{1,6})?$/.test(text)) return undefined
  const value = Math.round(Number(text) * MILLION)
  return value <= MILLION ? value : undefined
}

/** The sum in millionths; undefined while one of them is not a weight. */
export function sumOf(weights: TypedWeights): number | undefined {
  const values = allScores.map(({ name }) => millionths(weights[name]))
  return values.includes(undefined) ? undefined : values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

export const isWhole = (weights: TypedWeights): boolean => sumOf(weights) === MILLION

export const formatSum = (millionth: number): string => String(millionth / MILLION)

/** One line of a weighted sum: `98.3 × 0.2 = 19.66`. */
interface Term {
  label: string
  score: number
  weight: number
  product: number
}

export const termsOf = (scores: Scores, weights: Weights): Term[] =>
  allScores.map(({ name, label }) => ({
    label,
    score: scores[name],
    weight: weights[name],
    product: scores[name] * weights[name],
  }))

const totalOf = (terms: readonly Term[]): number => terms.reduce((sum, { product }) => sum + product, 0)

/**
 * The candidates' sums under other weights, by anchor ID. For display only: these scores are rounded, and the
 * aggregator ranks by the exact ones.
 */
export function sumsUnder(candidates: readonly Candidate[], typed: TypedWeights): Map<string, number> {
  const weights = perScore(({ name }) => (millionths(typed[name]) ?? 0) / MILLION)
  return new Map(candidates.map(({ anchorId, scores }) => [anchorId, totalOf(termsOf(scores, weights))]))
}

/** The winner under these sums; the better rank wins a tie. */
export const winnerOf = (
  candidates: readonly Candidate[],
  sums: ReadonlyMap<string, number>,
): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>(
    (best, next) =>
      best && (sums.get(next.anchorId) ?? 0) <= (sums.get(best.anchorId) ?? 0) + 1e-9 ? best : next,
    undefined,
  )
