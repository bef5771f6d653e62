import { eligibilityRules, type EligibilityRule, type Rejected } from '@windlass/contracts/routing.ts'
import { NAMED } from '../registry/offers.ts'
import { explainRejection } from './explain.ts'
import type { FailingByRule } from './snapshot.ts'
import type { Transaction } from './transaction.ts'

export interface RejectedAnchors {
  /** Counted under the first rule each failed. */
  byRule: { [rule in EligibilityRule]?: number }
  examples: { anchorId: string; rule: EligibilityRule }[]
}

const nearestFirst = eligibilityRules.toReversed()

/** Counts by rule and examples: near misses first, the rules taking turns. The two fail different rules. */
export function tell(whatever: FailingByRule, forAmount: FailingByRule): RejectedAnchors {
  const byRule: RejectedAnchors['byRule'] = {}
  for (const rule of eligibilityRules) {
    const failing = forAmount[rule] ?? whatever[rule]
    if (failing) byRule[rule] = failing.count
  }
  const examples: RejectedAnchors['examples'] = []
  for (let turn = 0; turn < NAMED && examples.length < NAMED; turn += 1) {
    for (const rule of nearestFirst) {
      const anchorId = (forAmount[rule] ?? whatever[rule])?.first[turn]
      if (anchorId !== undefined && examples.length < NAMED) examples.push({ anchorId, rule })
    }
  }
  return { byRule, examples }
}

export function renderRejected({ byRule, examples }: RejectedAnchors, transaction: Transaction): Rejected {
  const details = new Map<EligibilityRule, string>()
  const detailOf = (rule: EligibilityRule): string => {
    const known = details.get(rule) ?? explainRejection(rule, transaction)
    details.set(rule, known)
    return known
  }
  return {
    byRule,
    examples: examples.map(({ anchorId, rule }) => ({ anchorId, rule, detail: detailOf(rule) })),
  }
}
