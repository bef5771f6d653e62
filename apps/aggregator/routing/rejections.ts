import {
  eligibilityRules,
  type EligibilityRule,
  type Rejected,
} from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { NAMED } from '../registry/offers.ts'
import type { FailingByRule } from './snapshot.ts'
import type { Transaction } from './transaction.ts'

export interface RejectedAnchors {
  /** Counted under the first rule each failed. */
  byRule: { [rule in EligibilityRule]?: number }
  examples: { anchorId: string; rule: EligibilityRule }[]
}

const nearestFirst = eligibilityRules.toReversed()

/** Counts by rule and examples: near misses first, the rules taking turns. The two fail different rules. */
export function rejectedBy(always: FailingByRule, forAmount: FailingByRule): RejectedAnchors {
  const failing = nearestFirst.flatMap(rule => {
    const failed = forAmount[rule] ?? always[rule]
    return failed ? [{ rule, ...failed }] : []
  })
  const byRule: RejectedAnchors['byRule'] = {}
  for (const { rule, count } of failing.toReversed()) byRule[rule] = count
  const examples: RejectedAnchors['examples'] = []
  for (let turn = 0; turn < NAMED && examples.length < NAMED; turn += 1) {
    for (const { rule, first } of failing) {
      const anchorId = first[turn]
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

/** Says how many of the anchors that were not eligible failed which rule. */
export function describeRejected({ byRule }: RejectedAnchors): string {
  const parts = eligibilityRules.flatMap(rule => {
    const failed = byRule[rule]
    return failed ? [`${failed} by ${ruleNames[rule]}`] : []
  })
  return parts.length === 0 ? '' : `; not eligible: ${parts.join(', ')}`
}

const ruleNames: Record<EligibilityRule, string> = {
  asset: 'asset',
  rail: 'payment rail',
  region: 'region',
  status: 'status',
  availability: 'availability',
  domain: 'domain proof',
  external: 'being an anchor of another platform',
  pair: 'currency pair',
  limits: 'limits',
  capacity: 'treasury capacity',
}

/** The rule with the request's side of the numbers; the anchor's own figures are not disclosed. */
export const explainRejection = (rule: EligibilityRule, transaction: Transaction): string =>
  rejections[rule](transaction)

const rejections: Record<EligibilityRule, (asked: Transaction) => string> = {
  asset: ({ asset }) => `does not support the asset ${asset}`,
  rail: ({ rail }) => `does not support the payment rail ${rail}`,
  region: ({ region }) => `does not serve the region ${region ?? ''}`,
  status: () => 'is not active',
  availability: () => 'did not answer its last health check',
  domain: () => 'has not proven its domain',
  external: () => 'is an anchor of another platform, and none were asked for',
  pair: ({ asset, currency }) => `has no rate between ${currency ?? ''} and ${asset}`,
  limits: ({ amount }) => `does not take ${formatAmount(amount)} in one transaction`,
  capacity: ({ amount }) => `has less treasury capacity than the ${formatAmount(amount)} asked for`,
}
