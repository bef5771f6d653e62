import type { Entry } from '../registry/entry.ts'
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

/** The best twenty alone, best first, where nothing is to be shown or kept of them. */
export function leaders(
  index: RegistryIndex,
  transaction: Transaction,
  weights: PolicyWeights,
  furtherRule?: FurtherRule,
): { entries: Entry[]; eligible: number; rejected: RejectedAnchors } {
  const { eligible, rejected } = filterAnchors(index, transaction, furtherRule)
  const field = new Field(index, transaction.amount, eligible, weights)
  return { entries: field.best().map(place => field.entry(place)), eligible: eligible.length, rejected }
}

/** The hard filter, the four scores and the order of all who pass. */
export function rank(index: RegistryIndex, transaction: Transaction, weights: PolicyWeights): Ranking {
  const { eligible, rejected } = filterAnchors(index, transaction)
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
