import { amountOf, type Amount } from '@windlass/money/amount.ts'

/** A firm quote's claim on an anchor's capacity, in asset units, until it expires. */
export interface Hold {
  quoteId: string
  anchorId: string
  /** `CODE:ISSUER`, in upper case. */
  asset: string
  amount: Amount
  expiresAt: Date
}

const keyOf = (anchorId: string, asset: string): string => `${anchorId} ${asset}`

/** What firm quotes hold of each anchor's capacity, by asset. */
export class CapacityHolds {
  readonly #open = new Map<string, Hold>()
  readonly #sums = new Map<string, bigint>()
  readonly #changed: (anchorId: string) => void
  #nextExpiry = Infinity

  /** `changed` is called with each anchor whose held amount has changed. */
  constructor(changed: (anchorId: string) => void) {
    this.#changed = changed
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  heldAt(anchorId: string, asset: string): Amount {
    return amountOf(this.#sums.get(keyOf(anchorId, asset)) ?? 0n)
  }

  /** A hold that is known already is not counted twice. */
  add(hold: Hold): void {
    if (this.#open.has(hold.quoteId)) return
    this.#open.set(hold.quoteId, hold)
    this.#nextExpiry = Math.min(this.#nextExpiry, hold.expiresAt.getTime())
    this.#sum(hold, hold.amount)
  }

  /** Releases what has expired at `now`. */
  advance(now: number): void {
    if (now < this.#nextExpiry) return
    this.#nextExpiry = Infinity
    for (const hold of this.#open.values()) {
      const expiry = hold.expiresAt.getTime()
      if (expiry > now) {
        this.#nextExpiry = Math.min(this.#nextExpiry, expiry)
      } else {
        this.#open.delete(hold.quoteId)
        this.#sum(hold, amountOf(-hold.amount))
      }
    }
  }

  #sum({ anchorId, asset }: Hold, by: Amount): void {
    const key = keyOf(anchorId, asset)
    const sum = (this.#sums.get(key) ?? 0n) + by
    if (sum === 0n) this.#sums.delete(key)
    else this.#sums.set(key, sum)
    this.#changed(anchorId)
  }
}
