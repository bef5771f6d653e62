import { createHash } from 'node:crypto'

/** How many shards the polling has. */
export const SHARDS = 64

/** A number that every process derives from an anchor's id in the same way. */
function spread(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0)
}

export const shardOf = (id: string): number => spread(id) % SHARDS

/** Milliseconds into the period at which an anchor is due: its own, so that the polls spread over the period. */
export const phaseOf = (id: string, periodMs: number): number => Math.floor(spread(id) / SHARDS) % periodMs

/** An external anchor is asked in every fourth period: several requests each time, of a server that does not expect us. */
const EXTERNAL_PERIODS = 4
const MAX_DOUBLINGS = 5

/**
 * Between two walks of an external anchor. After each failure beyond the first, which may have been a restart, it doubles, up to
 * 32 times as long.
 *
 * @param failures since the last success
 */
export const walkPauseMs = (failures: number, periodMs: number): number =>
  EXTERNAL_PERIODS * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS) * periodMs

interface Due {
  id: string
  phase: number
}

/**
 * Who is due when. An anchor is due once in each period, at its own phase of it, whichever process polls: when
 * another process takes over, no anchor is asked twice.
 */
export class Schedule {
  readonly #periodMs: number
  #order: Due[] = []
  #upTo: number | null = null

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  set(ids: Iterable<string>): void {
    this.#order = Array.from(ids, id => ({ id, phase: phaseOf(id, this.#periodMs) })).sort(
      (a, b) => a.phase - b.phase,
    )
  }

  /** The anchors that became due since the last call, with the time at which they did. The first call starts the clock. */
  due(now: number): { id: string; at: number }[] {
    // A clock that was set back by more than a period would pause all polling until its old time comes again.
    const isSetBack = this.#upTo !== null && now < this.#upTo - this.#periodMs
    const from = isSetBack ? now : (this.#upTo ?? now)
    this.#upTo = Math.max(from, now)
    if (now <= from) return []
    // After a pause longer than a period each is due once, not once for each period missed.
    const start = Math.max(from, now - this.#periodMs)
    const found: { id: string; at: number }[] = []
    for (let cycle = this.#cycleOf(start); cycle <= now; cycle += this.#periodMs) {
      for (let next = this.#firstAfter(start - cycle); next < this.#order.length; next += 1) {
        const { id, phase } = this.#order[next] as Due
        if (cycle + phase > now) break
        found.push({ id, at: cycle + phase })
      }
    }
    return found
  }

  #cycleOf(moment: number): number {
    return moment - (moment % this.#periodMs)
  }

  #firstAfter(phase: number): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#order[middle] as Due).phase <= phase) low = middle + 1
      else high = middle
    }
    return low
  }
}
