import { formatAmount } from '@windlass/money/amount.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { termsFor, type Entry } from '../registry/entry.ts'
import { failedRule } from '../routing/eligibility.ts'
import { findEntry } from '../registry/find.ts'
import { everyEligible, rank, type FurtherRule } from '../routing/rank.ts'
import type { RejectedAnchors } from '../routing/rejections.ts'
import { noEligibleAnchor } from '../routing/route.ts'
import type { QuotesDeps } from './deps.ts'
import { mayHaveRate } from './fx.ts'
import { offerAt, type Payment } from './price.ts'

export type SelectionDeps = Pick<
  QuotesDeps,
  'index' | 'corridors' | 'fx' | 'policies' | 'clock' | 'databaseUp'
>

/** The rules that bind a quote beside the hard filter: a rate for the pair, and the anchor's limits. */
const quoteRule =
  ({ fx }: SelectionDeps, payment: Payment) =>
  (entry: Entry): 'pair' | 'limits' | null => {
    if (!offerAt(fx, entry, payment)) return 'pair'
    const { min, max } = termsFor(entry, payment.asset).limits
    return payment.amount < min || payment.amount > max ? 'limits' : null
  }

/** All anchors that can be quoted, by id. */
export function everyQuotable(deps: SelectionDeps, payment: Payment) {
  return everyEligible(...ranked(deps, payment), ruleFor(deps, payment))
}

/** What a payment is ranked by. */
function ranked({ corridors, clock, policies }: SelectionDeps, payment: Payment) {
  const snapshot = corridors.snapshot(payment, clock.now())
  return [snapshot, payment.amount, policies.active.weights] as const
}

const ruleFor = (deps: SelectionDeps, payment: Payment, full?: ReadonlySet<string>): FurtherRule => {
  const rule = quoteRule(deps, payment)
  return ({ anchorId }) => (full?.has(anchorId) ? 'capacity' : rule(findEntry(deps.index, anchorId)))
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
  const rule = ruleFor(deps, payment, full)
  const routed = rank(...ranked(deps, payment))
  const first = routed.top.find(best => rule(best.contender) === null)
  if (first) return { entry: findEntry(deps.index, first.anchorId), eligible: routed.eligible }
  // None of the best can: check all anchors, which also finds the reason if there is none.
  const { top, eligible, rejected } = rank(...ranked(deps, payment), rule)
  if (!top[0]) throw whyNone(deps, payment, rejected)
  return { entry: findEntry(deps.index, top[0].anchorId), eligible }
}

/** Throws the reason why one anchor cannot be quoted, if there is one. */
export function demandQuotable(deps: SelectionDeps, payment: Payment, entry: Entry): void {
  deps.index.advance(deps.clock.now())
  const rule = failedRule(deps.index, entry, payment, quoteRule(deps, payment))
  if (rule === null) return
  if (rule === 'pair') throw unsupportedPair(payment)
  if (rule === 'limits') throw outside([entry])
  throw noEligibleAnchor(deps, { byRule: { [rule]: 1 }, examples: [{ anchorId: entry.id, rule }] }, payment)
}

/** Why no anchor can be quoted: no rate for the pair anywhere, an amount outside all limits, or the hard filter. */
export function whyNone(deps: SelectionDeps, payment: Payment, rejected: RejectedAnchors): Problem {
  if (!isPairKnown(deps, payment)) return unsupportedPair(payment)
  const limited = rejected.byRule.limits ? onlyLimited(deps, payment) : []
  return limited.length > 0 ? outside(limited) : noEligibleAnchor(deps, rejected, payment)
}

/** Anchors that only their limits exclude. */
function onlyLimited({ index, fx, corridors, clock }: SelectionDeps, payment: Payment): Entry[] {
  return corridors
    .snapshot(payment, clock.now())
    .contenders.filter(({ capacity }) => capacity >= payment.amount)
    .map(({ anchorId }) => findEntry(index, anchorId))
    .filter(entry => offerAt(fx, entry, payment) !== null)
}

function isPairKnown({ index, fx }: SelectionDeps, payment: Payment): boolean {
  const supporters = index.offers.withAsset(payment.asset)
  if (supporters.length === 0) return mayHaveRate(fx, payment.currency, payment.asset)
  return supporters.some(slot => offerAt(fx, index.at(slot), payment) !== null)
}

const unsupportedPair = ({ currency, asset }: Payment) =>
  new Problem('unsupported-pair', `There is no rate between ${currency} and ${asset}.`)

function outside(entries: readonly Entry[]): Problem {
  const lowest = entries.reduce((a, b) => (b.limits.min < a.limits.min ? b : a)).limits.min
  const highest = entries.reduce((a, b) => (b.limits.max > a.limits.max ? b : a)).limits.max
  const range = `${formatAmount(lowest)} to ${formatAmount(highest)}`
  return invalid('amount', `is outside the limits of the anchors that could take it (${range})`)
}
