import { eligibilityRules, type EligibilityRule } from '@windlass/contracts/routing.ts'
import type { Amount } from '@windlass/money/amount.ts'
import type { Entry } from '../registry/entry.ts'
import type { Slots } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { ruleOfStanding } from './eligibility.ts'
import type { Transaction } from './transaction.ts'

/** How many rejected anchors are named. */
const EXAMPLES = 20

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
  const supporters = index.offers.supporters(transaction)
  const slots = supporters.region
  const { standing, capacity } = index.columns
  const needed = Number(transaction.amount)
  const rejections = new Rejections(index)
  const eligible = roomFor(slots.length)
  let count = 0
  for (let place = 0; place < slots.length; place += 1) {
    const slot = slots[place] as number
    if (standing[slot] !== 0) {
      rejections.add(ruleOfStanding(standing[slot] as number) ?? 'status', slot)
      continue
    }
    const rule = furtherRule === undefined ? null : furtherRule(index.at(slot))
    const free = capacity[slot] as number
    if (rule !== null) rejections.add(rule, slot)
    else if (free > needed || (free === needed && covers(index, slot, transaction.amount)))
      eligible[count++] = slot
    else rejections.add('capacity', slot)
  }
  rejections.addDifference('region', supporters.rail, supporters.region)
  rejections.addDifference('rail', supporters.asset, supporters.rail)
  rejections.addDifference('asset', supporters.all, supporters.asset)
  return { eligible: eligible.subarray(0, count), rejected: rejections.summary() }
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
  readonly #index: RegistryIndex
  readonly #counts = eligibilityRules.map(() => 0)
  readonly #slots = eligibilityRules.map((): number[] => [])

  constructor(index: RegistryIndex) {
    this.#index = index
  }

  add(rule: EligibilityRule, slot: number): void {
    const number = ruleNumbers[rule]
    const count = (this.#counts[number] as number) + 1
    this.#counts[number] = count
    if (count <= EXAMPLES) this.#slots[number]?.push(slot)
  }

  /** Those in the wider list and not in the narrower, both in the same order. */
  addDifference(rule: EligibilityRule, wider: Slots, narrower: Slots): void {
    const count = wider.length - narrower.length
    const slots: number[] = []
    const enough = Math.min(count, EXAMPLES)
    for (let at = 0, other = 0; slots.length < enough; at += 1) {
      if (wider[at] === narrower[other]) other += 1
      else slots.push(wider[at] as number)
    }
    this.#counts[ruleNumbers[rule]] = count
    this.#slots[ruleNumbers[rule]] = slots
  }

  summary(): RejectedAnchors {
    const byRule: RejectedAnchors['byRule'] = {}
    for (const [number, rule] of eligibilityRules.entries()) {
      const count = this.#counts[number] as number
      if (count > 0) byRule[rule] = count
    }
    return { byRule, examples: this.#examples() }
  }

  /** Near misses first, the rules taking turns. */
  #examples(): RejectedAnchors['examples'] {
    const examples: RejectedAnchors['examples'] = []
    for (let turn = 0; turn < EXAMPLES && examples.length < EXAMPLES; turn += 1) {
      for (let number = eligibilityRules.length - 1; number >= 0 && examples.length < EXAMPLES; number -= 1) {
        const slot = this.#slots[number]?.[turn]
        const rule = eligibilityRules[number]
        if (slot !== undefined && rule) examples.push({ anchorId: this.#index.at(slot).id, rule })
      }
    }
    return examples
  }
}
