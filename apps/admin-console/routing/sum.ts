import {
  perScore,
  scores as allScores,
  type Candidate,
  type Scores,
  type Weights,
} from '@windlass/contracts/routing.ts'
import { millionths, type TypedWeights } from '../policy/weights.ts'

/** One line of a weighted sum, as it is shown: `98.3 × 0.2 = 19.66`. */
export interface Term {
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

export const sumOf = (terms: readonly Term[]): number => terms.reduce((sum, { product }) => sum + product, 0)

/**
 * The candidates' sums under other weights, by anchor. For looking at only: the shown scores are rounded, and the
 * aggregator ranks by exact ones.
 */
export function tryWeights(candidates: readonly Candidate[], typed: TypedWeights): Map<string, number> {
  const weights = perScore(({ name }) => (millionths(typed[name]) ?? 0) / 1_000_000)
  return new Map(candidates.map(({ anchorId, scores }) => [anchorId, sumOf(termsOf(scores, weights))]))
}

/** Who would win; the better rank keeps a tie. */
export const winnerOf = (
  candidates: readonly Candidate[],
  sums: ReadonlyMap<string, number>,
): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>(
    (best, next) =>
      best && (sums.get(next.anchorId) ?? 0) <= (sums.get(best.anchorId) ?? 0) + 1e-9 ? best : next,
    undefined,
  )
