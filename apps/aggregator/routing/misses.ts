import {
  eligibilityRules,
  type EligibilityRule,
  type MissedRoute,
} from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { failedRule } from './eligibility.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { Decision } from './decision.ts'
import type { DecisionJournal } from './journal.ts'
import { keepsLimits } from './rank.ts'
import { explainRejection } from './rejections.ts'

/** The most that this process stores in a second: anyone can ask for routes that no anchor serves, as often as they like. */
export const STORED_PER_SECOND = 20

/** Stores routes that no anchor could serve, if one has the asset; the answer does not wait for it. */
export class Misses {
  readonly #index: RegistryIndex
  readonly #journal: DecisionJournal
  #second = -1
  #stored = 0

  constructor(index: RegistryIndex, journal: DecisionJournal) {
    this.#index = index
    this.#journal = journal
  }

  add(decision: Decision): void {
    if (this.#index.offers.withAsset(decision.transaction.asset).length === 0) return
    const second = Math.floor(decision.decidedAt.getTime() / 1000)
    if (second !== this.#second) this.#stored = 0
    this.#second = second
    this.#stored += 1
    if (this.#stored <= STORED_PER_SECOND) void this.#journal.add(decision)
  }
}

/** Why an anchor could not serve a route; null if the route was not a miss for it. */
export function missOf(index: RegistryIndex, entry: Entry, decision: Decision): MissedRoute | null {
  const rule = ruleThen(entry.id, decision) ?? ruleByDescription(index, entry, decision)
  if (rule === null) return null
  const { transaction } = decision
  return {
    decisionId: decision.id,
    decidedAt: decision.decidedAt.toISOString(),
    amount: formatAmount(transaction.amount),
    asset: transaction.asset,
    rail: transaction.rail,
    region: transaction.region,
    currency: transaction.currency,
    rule,
    detail: explainRejection(rule, transaction),
  }
}

/** From the snapshot. An anchor that is in it and was not ranked does not take the amount at once, or lacked the capacity. */
function ruleThen(anchorId: string, { snapshot, transaction: { amount } }: Decision): EligibilityRule | null {
  const contender = snapshot.contenders.find(each => each.anchorId === anchorId)
  if (contender) return keepsLimits(contender, amount) ? 'capacity' : 'limits'
  return eligibilityRules.find(rule => snapshot.failing[rule]?.first.includes(anchorId)) ?? null
}

/** Snapshots do not name all anchors that lack the rail or the region: the registry has them. */
function ruleByDescription(index: RegistryIndex, entry: Entry, decision: Decision): EligibilityRule | null {
  const rule = failedRule(index, entry, decision.transaction, () => null)
  return rule === 'rail' || rule === 'region' ? rule : null
}
