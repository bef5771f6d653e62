import type { Clock } from '@windlass/service/work/clock.ts'

/**
 * How urgent a request is (RFC 9218 `Priority: u=`): `money` moves funds, `person` is someone who waits,
 * `routine` is a health check or a look that comes back.
 */
export type Urgency = 'money' | 'person' | 'routine'

/** Share of the rate limit that stays free for more urgent requests. */
const KEEP_FREE: Record<Urgency, number> = { money: 0, person: 0.1, routine: 0.4 }
/**
 * Part of the rate limit, in each of its windows, that one caller has for what is urgent. After that its requests count as routine:
 * whatever an anchor does, or says of its urgency, others' money finds requests left.
 */
const OWN_SHARE = 0.25
/** This process and the platform's services, which work for all anchors. */
export const OURSELVES = 'ourselves'
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/**
 * The machine's share of a Horizon whose requests are limited per address. It follows the `X-RateLimit-*` headers,
 * stops routine requests first and everything but money after an answer 429.
 */
export class Budget {
  private readonly clock: Clock
  private limit: { total: number; remaining: number; resetAt: number } | null = null
  private pausedUntil = 0
  private refusals = 0
  private readonly used = new Map<string, number>()
  private usedUntil = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Milliseconds until a request of this urgency and caller may be sent; 0: now. */
  wait(asked: Urgency, caller: string): number {
    const now = this.clock.now().getTime()
    const urgency = this.hasUsedShare(caller, now) ? 'routine' : asked
    const paused = Math.max(0, this.pausedUntil - now)
    if (urgency === 'money') return 0
    if (paused > 0) return paused
    if (!this.limit || this.limit.resetAt <= now) return 0
    const isSpent = this.limit.remaining <= this.limit.total * KEEP_FREE[urgency]
    return isSpent ? this.limit.resetAt - now : 0
  }

  private hasUsedShare(caller: string, now: number): boolean {
    if (caller === OURSELVES || !this.limit || this.usedUntil <= now) return false
    return (this.used.get(caller) ?? 0) >= this.limit.total * OWN_SHARE
  }

  /** Learns from an answer of Horizon, and counts it for its caller. */
  note(status: number, headers: Headers, caller: string): void {
    const now = this.clock.now().getTime()
    if (this.usedUntil <= now) this.used.clear()
    this.used.set(caller, (this.used.get(caller) ?? 0) + 1)
    const [total, remaining, reset] = ['limit', 'remaining', 'reset'].map(name =>
      Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
    )
    if (total && remaining !== undefined && !Number.isNaN(remaining)) {
      this.limit = { total, remaining, resetAt: now + (reset || 60) * 1_000 }
      if (this.usedUntil <= now) this.usedUntil = this.limit.resetAt
    }
    if (status !== 429) {
      if (status < 500) this.refusals = 0
      return
    }
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.refusals++)
    const asked = Number(headers.get('retry-after') ?? reset) * 1_000
    this.pausedUntil = now + (asked > 0 ? Math.min(asked, 3_600_000) : growing)
  }

  /** For `/health` and metrics. */
  get state(): { remaining: number | null; pausedForMs: number } {
    const pausedForMs = Math.max(0, this.pausedUntil - this.clock.now().getTime())
    return { remaining: this.limit?.remaining ?? null, pausedForMs }
  }
}
