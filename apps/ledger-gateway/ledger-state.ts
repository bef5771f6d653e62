import type { Clock } from '@windlass/service/work/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Budget } from './budget.ts'
import { followStream } from './event-stream.ts'
import type { Network } from './network.ts'

/** Some ledgers of silence, or an instance that stopped ingesting. */
const SILENT_MS = 60_000
/** Payments may be rare on a private network. */
const RARE_MS = 600_000
/** Horizon ends streams all the time, and what happened meanwhile comes a moment later. */
const LATE_MS = 30_000
/** The call of a contract may have 176 KB of parameters, and then the accounts whose balances it changed. */
const MAX_PAYMENT_BYTES = 1_048_576
const MAX_WATCHED = 20_000

interface Ledger {
  sequence: number
  hash: string
  prev_hash?: string
  closed_at: string
}

/**
 * What all anchors of this machine need to know of the ledger, from two streams: the last ledger, and which
 * accounts just paid or were paid.
 */
export interface LedgerState {
  /** The last ledger as Horizon sent it, and when it arrived (Unix ms); null before the first. */
  readonly head: { record: Ledger; at: number } | null
  /** Whether every payment is received as it happens. */
  readonly live: boolean
  /** Remembers from now on when the account pays or is paid. */
  watch(account: string): void
  /** When a payment of a watched account was last received (Unix ms); a gap counts as a payment of everyone. */
  changedAt(account: string): number
  /** How many payments were received; gaps count too. */
  readonly count: number
  /** Watched accounts with a payment after the first so many; null: not known, such as after a gap. */
  changedSince(count: number): string[] | null
  /** Calls back at each payment of the account, and after a gap. */
  subscribe(account: string, listener: () => void): { end(): void }
  readonly subscribers: number
  stop(): Promise<void>
}

export function followLedger(given: {
  horizonUrl: string
  network: Network
  budget: Budget
  clock: Clock
  logger: FastifyBaseLogger
}): LedgerState {
  const { horizonUrl, network, budget, clock, logger } = given
  const listeners = new Map<string, Set<() => void>>()
  const changed = new Map<string, { at: number; nth: number }>()
  let head: LedgerState['head'] = null
  let gapAt = clock.now().getTime()

  let count = 0
  /** Of what happened up to this one some is not known. */
  let knownAfter = 0

  const onGap = (): void => {
    gapAt = clock.now().getTime()
    knownAfter = ++count
    for (const each of [...listeners.values()].flatMap(set => [...set])) each()
  }
  const payments = followStream({
    url: `${horizonUrl}/payments`,
    network,
    budget,
    logger,
    silentMs: RARE_MS,
    onGap,
    onEvent: ({ data }) => {
      const payment = { at: clock.now().getTime(), nth: ++count }
      for (const account of accountsOf(data)) {
        if (changed.has(account)) changed.set(account, payment)
        listeners.get(account)?.forEach(listener => listener())
      }
    },
  })
  const ledgers = followStream({
    url: `${horizonUrl}/ledgers`,
    network,
    budget,
    logger,
    silentMs: SILENT_MS,
    onGap: () => undefined,
    onEvent: ({ data }) => {
      const record = parseLedger(data)
      if (!record) return
      // A test network may have been reset, and the payments' cursor belongs to the old chain.
      if (head && !isNext(record, head.record)) payments.restart()
      head = { record, at: clock.now().getTime() }
    },
  })
  return {
    get head() {
      return head
    },
    get live() {
      return payments.live
    },
    get subscribers() {
      return listeners.size
    },
    watch: account => {
      if (changed.has(account)) return
      if (changed.size >= MAX_WATCHED) {
        changed.delete(changed.keys().next().value ?? '')
        knownAfter = ++count
      }
      changed.set(account, { at: clock.now().getTime(), nth: count })
    },
    // What is not watched may have changed at any time.
    changedAt: account => (changed.has(account) ? Math.max(gapAt, changed.get(account)?.at ?? 0) : Infinity),
    get count() {
      return count
    },
    changedSince: first =>
      payments.lostForMs < LATE_MS && first >= knownAfter
        ? [...changed].flatMap(([account, { nth }]) => (nth > first ? [account] : []))
        : null,
    subscribe: (account, listener) => {
      const listening = listeners.get(account) ?? new Set()
      listeners.set(account, listening.add(listener))
      return {
        end: () => {
          listening.delete(listener)
          if (listening.size === 0 && listeners.get(account) === listening) listeners.delete(account)
        },
      }
    },
    stop: async () => void (await Promise.all([ledgers.stop(), payments.stop()])),
  }
}

/** Whether a ledger continues the chain after another one, or is the same. */
function isNext(ledger: Ledger, before: Ledger): boolean {
  if (ledger.hash === before.hash) return true
  return (
    ledger.sequence === before.sequence + 1 &&
    (ledger.prev_hash === undefined || ledger.prev_hash === before.hash)
  )
}

/** Accounts in a payment, found without parsing it: the stream carries every payment of the network. */
function accountsOf(data: string): Set<string> {
  return new Set(data.slice(0, MAX_PAYMENT_BYTES).match(/\bG[A-Z2-7]{55}\b/g))
}

function parseLedger(data: string): Ledger | null {
  try {
    const record = JSON.parse(data) as Partial<Ledger> | null
    return record && Number.isSafeInteger(record.sequence) && record.hash && record.closed_at
      ? (record as Ledger)
      : null
  } catch {
    return null
  }
}
