/** What a request has left, as Horizon's X-RateLimit headers say it. */
export interface Budget {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the period ends. */
  readonly reset: number
  readonly exceeded: boolean
}

/** Counts each client's requests in periods of a fixed length, in real time. */
export class RateLimit {
  readonly #requests: number
  readonly #period: number
  readonly #used = new Map<string, number>()
  #ends = 0

  constructor({ requests, seconds }: { readonly requests: number; readonly seconds: number }) {
    this.#requests = requests
    this.#period = seconds * 1000
  }

  take(client: string): Budget {
    const now = performance.now()
    if (now >= this.#ends) {
      this.#used.clear()
      this.#ends = now + this.#period
    }
    const used = (this.#used.get(client) ?? 0) + 1
    this.#used.set(client, used)
    return {
      limit: this.#requests,
      remaining: Math.max(0, this.#requests - used),
      reset: Math.ceil((this.#ends - now) / 1000),
      exceeded: used > this.#requests,
    }
  }
}
