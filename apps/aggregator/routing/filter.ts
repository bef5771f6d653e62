import { eligibilityRules, type EligibilityRule } from '@windlass/contracts/routing.ts'
import type { Amount } from '@windlass/money/amount.ts'
import type { Entry } from '../registry/entry.ts'
import { NAMED, type Supporters } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { ruleOfStanding } from './eligibility.ts'
import type { Transaction } from './transaction.ts'

export interface RejectedAnchors {
  /** Counted under the first rule each failed. */
  byRule: { [rule in EligibilityRule]?: number }
  examples: { anchorId: string; rule: EligibilityRule }[]
}

export interface Filtered {
  /** In the order of anchor ids. Good until the next call. */
  eligible: Int32Array
  rejected: RejectedAnchors
}

/** A rule beside the hard filter's own; answers the rule an anchor fails, or null. */
export type FurtherRule = (entry: Entry) => EligibilityRule | null

// One list for all requests: they are filtered and ranked one after the other, without a pause in between.
let eligibleSlots = new Int32Array(1024)

/** The hard filter. */
export function filterAnchors(
  index: RegistryIndex,
  transaction: Transaction,
  furtherRule?: FurtherRule,
): Filtered {
  const { slots, without } = index.offers.supporters(transaction)
  const { standing, capacity } = index.columns
  const needed = Number(transaction.amount)
  const rejections = new Rejections(without)
  const eligible = roomFor(slots.length)
  let count = 0
  for (let place = 0; place < slots.length; place += 1) {
    const slot = slots[place] as number
    const state = standing[slot] as number
    const free = capacity[slot] as number
    if (state === 0 && free > needed && furtherRule === undefined) {
      eligible[count++] = slot
      continue
    }
    const rule =
      ruleOfStanding(state) ??
      furtherRule?.(index.at(slot)) ??
      (free > needed || (free === needed && covers(index, slot, transaction.amount)) ? null : 'capacity')
    if (rule === null) eligible[count++] = slot
    else rejections.add(rule, slot)
  }
  return { eligible: eligible.subarray(0, count), rejected: rejections.summary(index) }
}

function roomFor(length: number): Int32Array {
  if (eligibleSlots.length < length) eligibleSlots = new Int32Array(length * 2)
  return eligibleSlots
}

// Equal when rounded: the exact values decide.
const covers = (index: RegistryIndex, slot: number, amount: Amount) =>
  index.freeCapacity(index.at(slot)) >= amount

const ruleNumbers = Object.fromEntries(eligibilityRules.map((rule, number) => [rule, number])) as Record<
  EligibilityRule,
  number
>

/** Counts by rule and the first anchors under each. */
class Rejections {
  readonly #counts = eligibilityRules.map(() => 0)
  readonly #slots = eligibilityRules.map((): readonly number[] => [])

  constructor(without: Supporters['without']) {
    for (const rule of ['asset', 'rail', 'region'] as const) {
      this.#counts[ruleNumbers[rule]] = without[rule].count
      this.#slots[ruleNumbers[rule]] = without[rule].first
    }
  }

  add(rule: EligibilityRule, slot: number): void {
    const number = ruleNumbers[rule]
    const count = (this.#counts[number] as number) + 1
    this.#counts[number] = count
    // A list that the registry keeps is never added to: those rules are counted there alone.
    if (count === 1) this.#slots[number] = [slot]
    else if (count <= NAMED) (this.#slots[number] as number[]).push(slot)
  }

  summary(index: RegistryIndex): RejectedAnchors {
    const byRule: RejectedAnchors['byRule'] = {}
    for (let number = 0; number < eligibilityRules.length; number += 1) {
      const count = this.#counts[number] as number
      if (count > 0) byRule[eligibilityRules[number] as EligibilityRule] = count
    }
    return { byRule, examples: this.#examples(index) }
  }

  /** Near misses first, the rules taking turns. */
  #examples(index: RegistryIndex): RejectedAnchors['examples'] {
    const examples: RejectedAnchors['examples'] = []
    for (let turn = 0; turn < NAMED && examples.length < NAMED; turn += 1) {
      for (let number = eligibilityRules.length - 1; number >= 0 && examples.length < NAMED; number -= 1) {
        const slot = this.#slots[number]?.[turn]
        const rule = eligibilityRules[number]
        if (slot !== undefined && rule) examples.push({ anchorId: index.at(slot).id, rule })
      }
    }
    return examples
  }
}
