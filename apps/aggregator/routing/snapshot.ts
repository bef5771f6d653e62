import type { EligibilityRule } from '@windlass/contracts/routing.ts'
import { amountOf } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { timeOrderedId } from '../ids.ts'
import { goesBy, type Entry } from '../registry/entry.ts'
import { FeeSchedules } from '../registry/fee-schedules.ts'
import { NAMED, type Support } from '../registry/offers.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'

/** An anchor that could take a transaction if its capacity is enough, with all it is scored by. */
export interface Contender {
  anchorId: string
  slug: string
  domain: string
  /** Of the asset asked for, which may be a bare code; empty in snapshots from before it was kept. */
  issuer: string
  fees: FeeSchedule
  /** 100 instant, 50 under 60 minutes. */
  speed: number
  /** Checks of the last hour. */
  good: number
  checks: number
  /** Units of 10^-7, less what firm quotes hold. */
  capacity: bigint
}

/** Those who fail a rule: how many, and the first of them by id. */
export interface Failing {
  count: number
  first: string[]
}
export type FailingByRule = { [rule in EligibilityRule]?: Failing }

/** What scoring reads of each contender, by place. All but `schedule` are roundings of the exact values. */
interface Columns {
  feeFixed: Float64Array
  feePercentage: Float64Array
  /** Contenders with one fee schedule share its number. */
  schedule: Int32Array
  speed: Float64Array
  /** From 0 to 1. */
  uptime: Float64Array
  capacity: Float64Array
}

/**
 * Everyone who supports what a transaction asks for, as they stood at a moment. Decisions are made on a snapshot and
 * refer to it: with the amount and the weights it tells again who was ranked how and why.
 */
export class Snapshot {
  readonly id: string
  readonly takenAt: Date
  readonly support: Support
  /** In the order of anchor ids. Their positions are called places. */
  readonly contenders: readonly Contender[]
  /** Who fails a rule whatever the amount. */
  readonly failing: Readonly<FailingByRule>
  readonly columns: Columns
  /** All places. */
  readonly places: Int32Array
  /** Whether it is in the database. */
  stored = false

  constructor(
    described: { id: string; takenAt: Date; support: Support; failing: FailingByRule },
    contenders: readonly Contender[],
    scheduleOf: (place: number) => number,
  ) {
    this.id = described.id
    this.takenAt = described.takenAt
    this.support = described.support
    this.failing = described.failing
    this.contenders = contenders
    this.columns = columnsOf(contenders, scheduleOf)
    this.places = Int32Array.from(contenders.keys())
  }
}

function columnsOf(contenders: readonly Contender[], scheduleOf: (place: number) => number): Columns {
  const { length } = contenders
  const columns = {
    feeFixed: new Float64Array(length),
    feePercentage: new Float64Array(length),
    schedule: new Int32Array(length),
    speed: new Float64Array(length),
    uptime: new Float64Array(length),
    capacity: new Float64Array(length),
  }
  for (const [place, { fees, speed, good, checks, capacity }] of contenders.entries()) {
    columns.feeFixed[place] = Number(fees.fixed)
    columns.feePercentage[place] = Number(fees.percentage.numerator) / 10 ** fees.percentage.digits
    columns.schedule[place] = scheduleOf(place)
    columns.speed[place] = speed
    columns.uptime[place] = checks === 0 ? 1 : good / checks
    columns.capacity[place] = Number(capacity)
  }
  return columns
}

/** Who supports a transaction now, from memory. */
export function takeSnapshot(index: RegistryIndex, support: Support, now: Date): Snapshot {
  const { slots, without } = index.offers.supporters(support)
  const failing: FailingByRule = {}
  for (const rule of ['asset', 'rail', 'region'] as const) {
    const { count, first } = without[rule]
    if (count > 0) failing[rule] = { count, first: first.map(slot => index.at(slot).id) }
  }
  const contenders: Contender[] = []
  const schedules: number[] = []
  for (const slot of slots) {
    const entry = index.at(slot)
    const rule = index.standing(entry)
    if (rule !== null) {
      fail(failing, rule, entry.id)
      continue
    }
    const { good, checks } = index.uptimeOf(entry)
    contenders.push({
      anchorId: entry.id,
      slug: entry.slug,
      domain: entry.domain,
      issuer: issuerOf(entry, support.asset),
      fees: entry.fees,
      speed: entry.settlement === 'instant' ? 100 : 50,
      good,
      checks,
      capacity: index.freeCapacity(entry),
    })
    schedules.push(entry.schedule)
  }
  const { asset, rail, region } = support
  const described = { id: timeOrderedId(now), takenAt: now, support: { asset, rail, region }, failing }
  return new Snapshot(described, contenders, place => schedules[place] ?? 0)
}

/** Of several assets that go by a name, the first. Most anchors that support an asset have one. */
function issuerOf({ assets }: Entry, asset: string): string {
  const meant = assets.length === 1 ? assets[0] : assets.find(offered => goesBy(offered, asset))
  return meant?.issuer ?? ''
}

/** Counts one who fails a rule. */
export function fail(failing: FailingByRule, rule: EligibilityRule, anchorId: string): void {
  const counted = (failing[rule] ??= { count: 0, first: [] })
  counted.count += 1
  if (counted.first.length < NAMED) counted.first.push(anchorId)
}

/** What a row of `routing_snapshots` holds beside its id and moment. */
export interface StoredSnapshot {
  asset: string
  rail: string
  region: string | null
  failing: string
  contenders: string
}

// A line for each, words between commas: thousands are kept, most never read, and quotes cost the most. Registration
// sees to it that ids, slugs and domains have neither commas nor line breaks. Most assets have one issuer: a line
// names it where it is another than in the line before.
export function storeSnapshot({ support, failing, contenders }: Snapshot): StoredSnapshot {
  let text = ''
  let last = ''
  for (const { anchorId, slug, domain, issuer, fees, speed, good, checks, capacity } of contenders) {
    const { fixed, percentage } = fees
    text += `${anchorId},${slug},${domain},${fixed},${percentage.numerator},${percentage.digits},${speed},${good},${checks},${capacity},${issuer === last ? '' : issuer}\n`
    last = issuer
  }
  const { asset, rail, region } = support
  return { asset, rail, region: region ?? null, failing: JSON.stringify(failing), contenders: text }
}

export function loadSnapshot(id: string, takenAt: Date, stored: StoredSnapshot): Snapshot {
  const { asset, rail, region } = stored
  let issuer = ''
  const contenders = stored.contenders
    .split('\n')
    .slice(0, -1)
    .map(line => {
      const contender = loadContender(line, issuer)
      issuer = contender.issuer
      return contender
    })
  const schedules = new FeeSchedules()
  const support: Support = { asset, rail, ...(region === null ? {} : { region }) }
  const failing = JSON.parse(stored.failing) as FailingByRule
  const snapshot = new Snapshot({ id, takenAt, support, failing }, contenders, place =>
    schedules.numberOf((contenders[place] as Contender).fees),
  )
  snapshot.stored = true
  return snapshot
}

function loadContender(line: string, lastIssuer: string): Contender {
  const [anchorId = '', slug = '', domain = '', fixed = '', numerator = '', digits, ...rest] = line.split(',')
  const [speed, good, checks, capacity = '', issuer] = rest
  return {
    anchorId,
    slug,
    domain,
    issuer: issuer || lastIssuer,
    fees: {
      fixed: amountOf(BigInt(fixed)),
      percentage: { numerator: BigInt(numerator), digits: Number(digits) },
    },
    speed: Number(speed),
    good: Number(good),
    checks: Number(checks),
    capacity: BigInt(capacity),
  }
}
