import { formatAmount } from '@windlass/money/amount.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import type { Entry } from '../registry/entry.ts'
import { failedRule } from '../routing/eligibility.ts'
import { filterAnchors, type FurtherRule, type RejectedAnchors } from '../routing/filter.ts'
import { leaders } from '../routing/rank.ts'
import { noEligibleAnchor } from '../routing/route.ts'
import { mayHaveRate } from './fx.ts'
import { rateAt, type Payment } from './price.ts'

export type SelectionDeps = Pick<Deps, 'index' | 'fx' | 'policies' | 'clock'>

/** The rules that bind a quote beside the hard filter: a rate for the pair, and the anchor's limits. */
export function quoteRules({ fx }: SelectionDeps, payment: Payment): FurtherRule {
  return entry => {
    if (!rateAt(fx, entry, payment)) return 'pair'
    return payment.amount < entry.limits.min || payment.amount > entry.limits.max ? 'limits' : null
  }
}

/**
 * The first in the order of routing that can be quoted and is not `full`, and how many anchors were ranked. Throws
 * `unsupported-pair`, `validation-failed` (an amount outside all limits) or `no-eligible-anchor`.
 */
export function selectAnchor(
  deps: SelectionDeps,
  payment: Payment,
  full: ReadonlySet<string>,
): { entry: Entry; eligible: number } {
  const { index, policies, clock } = deps
  index.advance(clock.now())
  const quotable = quoteRules(deps, payment)
  const rules: FurtherRule = entry => (full.has(entry.id) ? 'capacity' : quotable(entry))
  const { weights } = policies.active
  const routed = leaders(index, payment, weights)
  const first = routed.entries.find(entry => rules(entry) === null)
  if (first) return { entry: first, eligible: routed.eligible }
  // Nobody among the best: then everyone is looked at, which also tells why there is none.
  const { entries, eligible, rejected } = leaders(index, payment, weights, rules)
  if (!entries[0]) throw whyNone(deps, payment, rejected)
  return { entry: entries[0], eligible }
}

/** Throws the reason why one anchor cannot be quoted, if there is one. */
export function demandQuotable(deps: SelectionDeps, payment: Payment, entry: Entry): void {
  deps.index.advance(deps.clock.now())
  const rule = failedRule(deps.index, entry, payment, quoteRules(deps, payment))
  if (rule === null) return
  if (rule === 'pair') throw unsupportedPair(payment)
  if (rule === 'limits') throw outside([entry])
  throw noEligibleAnchor({ byRule: { [rule]: 1 }, examples: [{ anchorId: entry.id, rule }] }, payment)
}

/** Why nobody can be quoted: no rate for the pair anywhere, an amount outside all limits, or the hard filter. */
export function whyNone(deps: SelectionDeps, payment: Payment, rejected: RejectedAnchors): Problem {
  if (!isPairKnown(deps, payment)) return unsupportedPair(payment)
  const { eligible } = filterAnchors(deps.index, payment, entry =>
    rateAt(deps.fx, entry, payment) ? null : 'pair',
  )
  const onlyLimited = rejected.byRule.limits ? Array.from(eligible, slot => deps.index.at(slot)) : []
  return onlyLimited.length > 0 ? outside(onlyLimited) : noEligibleAnchor(rejected, payment)
}

function isPairKnown({ index, fx }: SelectionDeps, payment: Payment): boolean {
  const supporters = index.offers.withAsset(payment.asset)
  if (supporters.length === 0) return mayHaveRate(fx, payment.currency, payment.asset)
  return supporters.some(slot => rateAt(fx, index.at(slot), payment) !== null)
}

const unsupportedPair = ({ currency, asset }: Payment) =>
  new Problem('unsupported-pair', `There is no rate between ${currency} and ${asset}.`)

function outside(entries: readonly Entry[]): Problem {
  const lowest = entries.reduce((a, b) => (b.limits.min < a.limits.min ? b : a)).limits.min
  const highest = entries.reduce((a, b) => (b.limits.max > a.limits.max ? b : a)).limits.max
  const range = `${formatAmount(lowest)} to ${formatAmount(highest)}`
  return invalid('amount', `is outside the limits of who could take it (${range})`)
}
