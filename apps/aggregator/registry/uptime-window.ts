const HOUR_MS = 3_600_000
/** Machines' clocks differ by less. */
const SET_BACK_MS = 300_000
// One check in one number: slot, millisecond within its second, outcome.
const SLOT_UNIT = 2048

/**
 * Good and all checks of each slot over the last hour, kept exact by removing each check the moment it is an
 * hour old. A check at time t counts while `t > now - 1 h`, exactly as a query over `health_metrics` would count it.
 */
export class UptimeWindow {
  good = new Int32Array(1024)
  checks = new Int32Array(1024)
  readonly #seconds = new Map<number, number[]>()
  /** Every check at or before this moment is out. */
  #horizon = -Infinity
  #sorted = -1

  record(slot: number, at: number, good: boolean): void {
    if (at <= this.#horizon) return
    this.#makeRoom(slot)
    const second = Math.floor(at / 1000)
    const packed = slot * SLOT_UNIT + (at - second * 1000) * 2 + (good ? 1 : 0)
    const bucket = this.#seconds.get(second)
    if (bucket) bucket.push(packed)
    else this.#seconds.set(second, [packed])
    if (second === this.#sorted) this.#sorted = -1
    this.#count(packed, 1)
  }

  /**
   * Takes out what is an hour old at `now`. An earlier `now` changes nothing, unless the clock was set back: then nothing
   * is known of the last hour.
   */
  advance(now: number): void {
    const cutoff = now - HOUR_MS
    if (cutoff < this.#horizon - SET_BACK_MS) this.#forget(cutoff)
    if (cutoff <= this.#horizon) return
    const last = Math.floor(cutoff / 1000)
    for (const second of this.#secondsBefore(last)) this.#drop(second)
    this.#trim(last, cutoff - last * 1000)
    this.#horizon = cutoff
  }

  #forget(horizon: number): void {
    this.good.fill(0)
    this.checks.fill(0)
    this.#seconds.clear()
    this.#sorted = -1
    this.#horizon = horizon
  }

  #secondsBefore(last: number): Iterable<number> {
    const first = Math.floor(this.#horizon / 1000)
    if (last - first > 7_200) return [...this.#seconds.keys()].filter(second => second < last)
    return Array.from({ length: last - first }, (_, offset) => first + offset)
  }

  #drop(second: number): void {
    const bucket = this.#seconds.get(second)
    if (!bucket) return
    for (const packed of bucket) this.#count(packed, -1)
    this.#seconds.delete(second)
  }

  /** Takes the first milliseconds out of the second that is just leaving. */
  #trim(second: number, upTo: number): void {
    const bucket = this.#seconds.get(second)
    if (!bucket) return
    if (this.#sorted !== second) {
      bucket.sort((a, b) => millisecondOf(b) - millisecondOf(a))
      this.#sorted = second
    }
    for (let last = bucket.at(-1); last !== undefined && millisecondOf(last) <= upTo; last = bucket.at(-1)) {
      this.#count(last, -1)
      bucket.pop()
    }
  }

  #count(packed: number, by: 1 | -1): void {
    const slot = Math.floor(packed / SLOT_UNIT)
    this.checks[slot] = (this.checks[slot] ?? 0) + by
    if (packed % 2 === 1) this.good[slot] = (this.good[slot] ?? 0) + by
  }

  #makeRoom(slot: number): void {
    if (slot < this.checks.length) return
    const size = Math.max(slot + 1, this.checks.length * 2)
    const grown = [new Int32Array(size), new Int32Array(size)] as const
    grown[0].set(this.good)
    grown[1].set(this.checks)
    ;[this.good, this.checks] = grown
  }
}

const millisecondOf = (packed: number) => Math.floor((packed % SLOT_UNIT) / 2)
