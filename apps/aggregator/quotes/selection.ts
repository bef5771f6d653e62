import { formatAmount } from '@windlass/money/amount.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import type { Entry } from '../registry/entry.ts'
import { failedRule } from '../routing/eligibility.ts'
import { filterAnchors, type FurtherRule, type RejectedAnchors } from '../routing/filter.ts'
import { rank } from '../routing/rank.ts'
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
 * The anchor that routing would choose for a payment among those that can be quoted and are not `full`, and how many
 * those were. Throws `unsupported-pair`, `validation-failed` (an amount outside all limits) or `no-eligible-anchor`.
 */
export function selectAnchor(
  deps: SelectionDeps,
  payment: Payment,
  full: ReadonlySet<string>,
): { entry: Entry; eligible: number } {
  deps.index.advance(deps.clock.now())
  const rules = quoteRules(deps, payment)
  const { top, eligible, rejected } = rank(deps.index, payment, deps.policies.active.weights, entry =>
    full.has(entry.id) ? 'capacity' : rules(entry),
  )
  const entry = top[0] && deps.index.get(top[0].anchorId)
  if (!entry) throw whyNone(deps, payment, rejected)
  return { entry, eligible }
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
