import { ledgerOf } from '@windlass/stellar/check-answers.ts'
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
/** A payment is received a moment after its ledger. */
const QUIET_MS = 5_000
const MAX_WATCHED = 20_000

interface Ledger {
  sequence: number
  hash: string
  prev_hash?: string
  closed_at: string
  successful_transaction_count?: number
}

/**
 * What all anchors of this machine need to know of the ledger, from two streams: the last ledger, and which
 * accounts just paid or were paid.
 */
export interface LedgerState {
  /** The last ledger as Horizon sent it, and when it arrived (Unix ms); null before the first. */
  readonly head: { record: Ledger; at: number } | null
  /**
   * Whether every payment is received as it happens: the stream is connected, and not silent while ledgers with
   * transactions close.
   */
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
  /** The ledger of the last payment, and the first one with transactions that closed after it. */
  let heard = 0
  let unheard: { sequence: number; at: number } | null = null

  let count = 0
  /** The count at the last gap: payments before it may have been missed. */
  let knownAfter = 0

  const onGap = (): void => {
    gapAt = clock.now().getTime()
    ;[heard, unheard] = [0, null]
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
    onEvent: ({ id, data, isCut }) => {
      // Whom the rest of it names is not known.
      if (isCut) onGap()
      heard = /^\d{1,19}$/.test(id) ? ledgerOf(id) : heard
      if (unheard && unheard.sequence <= heard) unheard = null
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
      const at = clock.now().getTime()
      const { sequence } = record
      // What came before the first ledger after a gap is not known anyway.
      if (heard === 0) heard = sequence
      if (record.successful_transaction_count !== 0 && sequence > heard) unheard ??= { sequence, at }
      if (unheard && at - unheard.at > LATE_MS) payments.restart()
      head = { record, at }
    },
  })
  const isQuiet = (): boolean => unheard !== null && clock.now().getTime() - unheard.at > QUIET_MS
  return {
    get head() {
      return head
    },
    get live() {
      return payments.live && !isQuiet()
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
      payments.lostForMs < LATE_MS && !isQuiet() && first >= knownAfter
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
  return new Set(data.match(/\bG[A-Z2-7]{55}\b/g))
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
