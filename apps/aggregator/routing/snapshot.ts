import type { EligibilityRule } from '@windlass/contracts/aggregator/routing.ts'
import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { costOf, type FeeSchedule } from '@windlass/money/fee.ts'
import { formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import { timeOrderedId } from '../ids.ts'
import { assetNamed, termsFor, type Entry } from '../registry/entry.ts'
import { NAMED, type Support } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { RoutingSnapshotRow, StoredContender } from '../tables.ts'
import { FACTS, factsOf, roundedFactScores, sumFactScores, type Facts, type PolicyWeights } from './scores.ts'

/** An anchor that can take a transaction if its capacity is enough, with the facts of its scores. Never changes. */
export interface Contender {
  anchorId: string
  slug: string
  domain: string
  /** Issuer of the asset asked for, which may be a bare code; empty in snapshots from before it was stored. */
  issuer: string
  fees: FeeSchedule
  /** Its share of the exchange rate in deposits; null: none is known. */
  spread: Rate | null
  /** Fees and spread together: what it is scored by. */
  cost: FeeSchedule
  /** Less what firm quotes reserve. */
  capacity: Amount
  /** Null in snapshots from before they were stored. */
  limits: { min: Amount; max: Amount } | null
  /** What is not known of an external anchor; null for our own. */
  unknown: readonly string[] | null
  facts: Facts
  /** The same as numbers, rounded. */
  rounded: {
    fixed: number
    percentage: number
    capacity: number
    factScores: number[]
  }
}

/** What a contender is made from. */
export type Described = Omit<Contender, 'rounded' | 'cost'>

export function contender(described: Described): Contender {
  const { fees, spread, capacity, facts } = described
  const cost = spread ? costOf(fees, spread) : fees
  const { numerator, digits } = cost.percentage
  return {
    ...described,
    cost,
    rounded: {
      fixed: Number(cost.fixed),
      percentage: Number(numerator) / 10 ** digits,
      capacity: Number(capacity),
      factScores: roundedFactScores(facts),
    },
  }
}

export function contenderOf(entry: Entry, asset: string, rail: string, index: RegistryIndex): Contender {
  const { fees, limits, external } = termsFor(entry, asset, rail)
  return contender({
    anchorId: entry.id,
    slug: entry.slug,
    domain: entry.domain,
    issuer: issuerOf(entry, asset),
    fees,
    spread: entry.seen.spread,
    capacity: external?.capacity ?? index.freeCapacity(entry, asset),
    limits,
    unknown: external && external.unknown,
    facts: factsOf(entry, index),
  })
}

const issuerOf = (entry: Entry, asset: string): string => assetNamed(entry, asset)?.issuer ?? ''

/** Anchors that fail a rule: how many, and the first of them by id, or all that support what was asked. */
interface Failing {
  count: number
  first: string[]
}
export type FailingByRule = { [rule in EligibilityRule]?: Failing }

/** Counts an anchor that fails a rule. */
export function fail(failing: FailingByRule, rule: EligibilityRule, anchorId: string, named = NAMED): void {
  const counted = (failing[rule] ??= { count: 0, first: [] })
  counted.count += 1
  if (counted.first.length < named) counted.first.push(anchorId)
}

/** What ranking reads of all contenders, by place; all are roundings. */
export interface Columns {
  fixed: Float64Array
  percentage: Float64Array
  capacity: Float64Array
  /** In the order of the rules. */
  factScores: Float64Array[]
}

/**
 * All anchors that support what a transaction asks for, as they are at one moment. Decisions are made on a snapshot and
 * refer to it: the amount and the weights are enough to rank again.
 */
export class Snapshot {
  readonly id: string
  readonly takenAt: Date
  readonly support: Support
  /** In the order of anchor ids. Their positions are called places. */
  readonly contenders: readonly Contender[]
  /** Anchors that fail a rule whatever the amount. */
  readonly failing: Readonly<FailingByRule>
  readonly hasExternal: boolean
  /** The snapshot to which this one stores the difference; null: it stores everything. */
  readonly base: Snapshot | null
  /** Whether it is in the database. */
  stored = false
  #columns: Columns | undefined
  #factSums: { weights: PolicyWeights; sums: Float64Array } | undefined

  constructor(
    described: {
      takenAt: Date
      support: Support
      failing: FailingByRule
      id?: string
      base?: Snapshot | null
    },
    contenders: readonly Contender[],
  ) {
    const { asset, rail, region } = described.support
    this.id = described.id ?? timeOrderedId(described.takenAt)
    this.takenAt = described.takenAt
    this.support = { asset, rail, ...(region === undefined ? {} : { region }) }
    this.failing = described.failing
    this.contenders = contenders
    this.hasExternal = contenders.some(({ unknown }) => unknown !== null)
    this.base = described.base ?? null
  }

  get columns(): Columns {
    return (this.#columns ??= columnsOf(this.contenders))
  }

  /** The part of the weighted sums that no amount changes, by place, for the weights that were last asked for. */
  factSums(weights: PolicyWeights): Float64Array {
    if (this.#factSums?.weights !== weights) {
      const sums = sumFactScores(this.contenders.length, this.columns.factScores, weights)
      this.#factSums = { weights, sums }
    }
    return this.#factSums.sums
  }
}

function columnsOf(contenders: readonly Contender[]): Columns {
  const column = () => new Float64Array(contenders.length)
  const columns = {
    fixed: column(),
    percentage: column(),
    capacity: column(),
    factScores: Array.from({ length: FACTS }, column),
  }
  for (let place = 0; place < contenders.length; place += 1) {
    const { fixed, percentage, capacity, factScores } = (contenders[place] as Contender).rounded
    columns.fixed[place] = fixed
    columns.percentage[place] = percentage
    columns.capacity[place] = capacity
    for (let n = 0; n < FACTS; n += 1) {
      ;(columns.factScores[n] as Float64Array)[place] = factScores[n] as number
    }
  }
  return columns
}

/** Contenders that differ from the snapshot's base, by anchor id; null: the base has it and this snapshot does not. */
function difference({ base, contenders }: Snapshot): Record<string, StoredContender | null> {
  const before = new Map(base?.contenders.map(known => [known.anchorId, known]))
  const changed: Record<string, StoredContender | null> = {}
  for (const now of contenders) {
    if (before.get(now.anchorId) !== now) changed[now.anchorId] = storeContender(now)
    before.delete(now.anchorId)
  }
  for (const gone of before.keys()) changed[gone] = null
  return changed
}

const storeContender = ({
  slug,
  domain,
  issuer,
  fees,
  spread,
  capacity,
  limits,
  unknown,
  facts,
}: Contender): StoredContender => ({
  slug,
  domain,
  issuer,
  fees: { fixed: formatAmount(fees.fixed), percentage: formatRate(fees.percentage) },
  ...(spread ? { spread: formatRate(spread) } : {}),
  capacity: formatAmount(capacity),
  ...(limits ? { limits: { min: formatAmount(limits.min), max: formatAmount(limits.max) } } : {}),
  ...(unknown ? { unknown: [...unknown] } : {}),
  facts,
})

/** A snapshot's row as JSON. */
export function storeSnapshot(snapshot: Snapshot): string {
  const { id, takenAt, support, failing, base } = snapshot
  return JSON.stringify({
    id,
    taken_at: takenAt,
    asset: support.asset,
    rail: support.rail,
    region: support.region ?? null,
    base_id: base?.id ?? null,
    failing,
    contenders: difference(snapshot),
  })
}

type StoredContenders = RoutingSnapshotRow['contenders']

/** A stored snapshot, with what its base stores. */
export function loadSnapshot(row: RoutingSnapshotRow, base: StoredContenders = {}): Snapshot {
  const { id, taken_at: takenAt, asset, rail, region, failing } = row
  const support: Support = { asset, rail, ...(region === null ? {} : { region }) }
  const contenders = Object.entries({ ...base, ...row.contenders })
    .flatMap(([anchorId, stored]) => (stored ? [loadContender(anchorId, stored)] : []))
    .sort((a, b) => (a.anchorId < b.anchorId ? -1 : 1))
  const snapshot = new Snapshot({ id, takenAt, support, failing }, contenders)
  snapshot.stored = true
  return snapshot
}

const loadContender = (anchorId: string, stored: StoredContender): Contender =>
  contender({
    anchorId,
    slug: stored.slug,
    domain: stored.domain,
    issuer: stored.issuer,
    fees: { fixed: parseAmount(stored.fees.fixed), percentage: parseRate(stored.fees.percentage) },
    spread: stored.spread === undefined ? null : parseRate(stored.spread),
    capacity: parseAmount(stored.capacity),
    limits: stored.limits
      ? { min: parseAmount(stored.limits.min), max: parseAmount(stored.limits.max) }
      : null,
    unknown: stored.unknown ?? null,
    facts: stored.facts as Facts,
  })
