const WITHIN_MS = 600_000
/** The first start, and two that nobody ordered. */
const MOST_STARTS = 2

/**
 * Which processes of the SEP server asked lately. What starts both servers in order, such as an upgrade or a wake, starts
 * this one too: what is counted here are starts of the SEP server alone.
 */
export class SepRuns {
  readonly #seen = new Map<string, number>()

  /** @param run the id of the process that asks */
  see(run: string, at: Date): void {
    this.#forget(at)
    if (this.#seen.has(run) || this.#seen.size > MOST_STARTS) return
    this.#seen.set(run, at.getTime())
  }

  /** Whether it ended several times in ten minutes: a customer who is sent there now would meet its next end. */
  endsAgain(at: Date): boolean {
    this.#forget(at)
    return this.#seen.size > MOST_STARTS
  }

  /** A process that still runs may be forgotten: seen again it counts as one start. */
  #forget(at: Date): void {
    for (const [run, since] of this.#seen) if (since + WITHIN_MS <= at.getTime()) this.#seen.delete(run)
  }
}
