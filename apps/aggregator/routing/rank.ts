import type { RegistryIndex } from '../registry/registry-index.ts'
import { Field } from './field.ts'
import { filterAnchors, type FurtherRule, type RejectedAnchors } from './filter.ts'
import type { Contender, PolicyWeights, Terms } from './score.ts'
import type { Transaction } from './transaction.ts'

export interface Ranking {
  /** The best twenty, best first. */
  top: Contender[]
  /** Whoever else could win under some weights: nobody kept comes before them under all. */
  others: Contender[]
  eligible: number
  terms: Terms
  rejected: RejectedAnchors
}

/** The hard filter, the four scores and the order of all who pass. */
export function rank(
  index: RegistryIndex,
  transaction: Transaction,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): Ranking {
  const { eligible, rejected } = filterAnchors(index, transaction, furtherRule)
  const field = new Field(index, transaction.amount, eligible, weights)
  const best = field.best()
  return {
    top: best.map(place => field.contender(place)),
    others: field.unmatchedBy(best).map(place => field.contender(place)),
    eligible: eligible.length,
    terms: field.terms,
    rejected,
  }
}
