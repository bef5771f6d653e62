import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import type { Entry } from './entry.ts'

/** Why an anchor may not be routed to at all at the moment; 0: it may. */
export const standings = { good: 0, status: 1, availability: 2, domain: 3 } as const
export type Standing = (typeof standings)[keyof typeof standings]

/**
 * The figures that ranking reads for every anchor, one column each, by slot. They are roundings of the exact values
 * in the entries: they sort out who may be among the best, the exact values decide.
 */
export class Columns {
  standing = new Uint8Array(1024)
  /** Units of 10^-7. */
  feeFixed = new Float64Array(1024)
  feePercentage = new Float64Array(1024)
  /** Anchors with one fee schedule share its number. */
  feeSchedule = new Int32Array(1024)
  speed = new Uint8Array(1024)
  /** Units of 10^-7, less what firm quotes hold. */
  capacity = new Float64Array(1024)
  readonly #schedules = new Map<string, number>()

  describe(entry: Entry): void {
    this.#makeRoom(entry.slot)
    const { fixed, percentage } = entry.fees
    this.feeFixed[entry.slot] = Number(fixed)
    this.feePercentage[entry.slot] = Number(percentage.numerator) / 10 ** percentage.digits
    this.feeSchedule[entry.slot] = this.#scheduleNumber(`${formatAmount(fixed)}+${formatRate(percentage)}`)
    this.speed[entry.slot] = entry.settlement === 'instant' ? 100 : 50
  }

  #scheduleNumber(key: string): number {
    const known = this.#schedules.get(key)
    if (known !== undefined) return known
    this.#schedules.set(key, this.#schedules.size)
    return this.#schedules.size - 1
  }

  #makeRoom(slot: number): void {
    if (slot < this.standing.length) return
    const size = Math.max(slot + 1, this.standing.length * 2)
    this.standing = grown(this.standing, new Uint8Array(size))
    this.feeFixed = grown(this.feeFixed, new Float64Array(size))
    this.feePercentage = grown(this.feePercentage, new Float64Array(size))
    this.feeSchedule = grown(this.feeSchedule, new Int32Array(size))
    this.speed = grown(this.speed, new Uint8Array(size))
    this.capacity = grown(this.capacity, new Float64Array(size))
  }
}

function grown<T extends Uint8Array | Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from)
  return into
}
