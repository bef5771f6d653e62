import type { Amount } from '@windlass/money/amount.ts'
import type { FastifyBaseLogger } from 'fastify'
import { Worker } from 'node:worker_threads'
import type { Support } from '../registry/offers.ts'
import { corridorOf } from './corridors.ts'
import type { Decision } from './decision.ts'
import type { PolicyWeights } from './scores.ts'
import type { Contender, Described, FailingByRule, Snapshot } from './snapshot.ts'

/** A snapshot for the thread, which has the one that was sent before of the same corridor. */
export interface SentSnapshot {
  id: string
  takenAt: Date
  support: Support
  failing: Readonly<FailingByRule>
  /** For each contender its place in the snapshot before, or -1: it is the next of `fresh`. */
  places: Int32Array
  fresh: Described[]
}

/** Routes that are decided on one snapshot. */
interface Group {
  /** Corridors that the thread can forget first. */
  forgotten: string[]
  corridor: string
  /** Null: the one that was sent last of this corridor. */
  snapshot: SentSnapshot | null
  routes: SentRoute[]
}

export interface SentRoute {
  id: string
  decidedAt: Date
  policyId: string
  amount: Amount
  currency: string | undefined
  stale: boolean
}

/** To the thread: what it does not know yet, and what it is to decide. It answers each batch once, in their order. */
export interface Batch {
  policies: { id: string; weights: PolicyWeights }[]
  groups: Group[]
}

/** How a route ended: the anchor id of the winner, null without one, or why it could not be decided. */
export type Outcome = string | null | { failed: string }

/** The outcomes of a batch; the answers of those with a winner lie one after the other in `bytes`. */
export interface Decided {
  outcomes: Outcome[]
  /** Where each answer ends. */
  ends: number[]
  bytes: Uint8Array<ArrayBuffer>
}

/** All of a decision but its winner. */
export type Undecided = Omit<Decision, 'winner'>

interface Waiting {
  corridor: string
  decision: Undecided
  outcome: PromiseWithResolvers<{ winner: string; answer: Buffer } | null>
}

/** The thread begins with the first of them while the others of the same turn are still read. */
const BATCH = 16
/** A corridor that is in use has a younger snapshot. */
const FORGET_AFTER_MS = 900_000

/**
 * Ranks in a thread of its own: there the code and the figures of a ranking stay in the processor's caches, and requests
 * are read and answered beside it (ADR 0010).
 */
export class Ranker {
  readonly #logger: FastifyBaseLogger
  #thread: Worker | undefined
  readonly #sent = new Map<string, Snapshot>()
  readonly #policies = new Set<string>()
  /** Requests of this turn of the event loop. */
  #waiting: Waiting[] = []
  readonly #underWay: Waiting[][] = []

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger
  }

  /** Starts the thread, which the first decision does otherwise. */
  start(): Worker {
    if (this.#thread) return this.#thread
    const thread = new Worker(new URL('./ranking-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    })
    thread.on('message', (decided: Decided) => this.#answer(decided))
    thread.on('error', error => {
      // What was asked of it would never be answered: the process ends and is started again.
      this.#logger.fatal({ err: error }, 'the ranking thread died')
      process.exit(1)
    })
    this.#thread = thread
    return thread
  }

  /** Resolves to the winner and the answer as JSON, or null where no anchor could take the transaction. */
  decide(decision: Undecided): Promise<{ winner: string; answer: Buffer } | null> {
    // Combinations that no anchor supports have no bound, and need no ranking.
    if (decision.snapshot.contenders.length === 0) return Promise.resolve(null)
    const outcome: Waiting['outcome'] = Promise.withResolvers()
    if (this.#waiting.length === 0) setImmediate(() => this.#send())
    this.#waiting.push({ corridor: corridorOf(decision.transaction), decision, outcome })
    if (this.#waiting.length === BATCH) this.#send()
    return outcome.promise
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate()
  }

  #send(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    waiting.sort((a, b) => (a.corridor < b.corridor ? -1 : a.corridor > b.corridor ? 1 : 0))
    const batch: Batch = { policies: [], groups: [] }
    let last: Snapshot | undefined
    for (const { corridor, decision } of waiting) {
      if (decision.snapshot !== last) batch.groups.push(this.#group(corridor, decision.snapshot))
      last = decision.snapshot
      batch.groups.at(-1)?.routes.push(this.#route(decision, batch))
    }
    this.#underWay.push(waiting)
    this.start().postMessage(batch)
  }

  #group(corridor: string, snapshot: Snapshot): Group {
    const forgotten: string[] = []
    const before = this.#sent.get(corridor)
    if (before === snapshot) return { forgotten, corridor, snapshot: null, routes: [] }
    // Oldest first.
    this.#sent.delete(corridor)
    this.#sent.set(corridor, snapshot)
    for (const [other, { takenAt }] of this.#sent) {
      if (snapshot.takenAt.getTime() - takenAt.getTime() < FORGET_AFTER_MS) break
      this.#sent.delete(other)
      forgotten.push(other)
    }
    return { forgotten, corridor, snapshot: sentAfter(before, snapshot), routes: [] }
  }

  #route({ id, decidedAt, policyId, weights, transaction, stale }: Undecided, batch: Batch): SentRoute {
    if (!this.#policies.has(policyId)) {
      this.#policies.add(policyId)
      batch.policies.push({ id: policyId, weights })
    }
    return { id, decidedAt, policyId, amount: transaction.amount, currency: transaction.currency, stale }
  }

  #answer({ outcomes, ends, bytes }: Decided): void {
    const waiting = this.#underWay.shift() ?? []
    let start = 0
    for (const [n, { outcome }] of waiting.entries()) {
      const winner = outcomes[n] as Outcome
      const end = ends[n] as number
      if (winner === null) outcome.resolve(null)
      else if (typeof winner === 'object') outcome.reject(new Error(winner.failed))
      else outcome.resolve({ winner, answer: Buffer.from(bytes.buffer, start, end - start) })
      start = end
    }
  }
}

/** Both list their contenders by anchor id, and one that has not changed is the same object in both. */
function sentAfter(before: Snapshot | undefined, snapshot: Snapshot): SentSnapshot {
  const { id, takenAt, support, failing, contenders } = snapshot
  const known = before?.contenders ?? []
  const places = new Int32Array(contenders.length).fill(-1)
  const fresh: Described[] = []
  let at = 0
  for (const [place, contender] of contenders.entries()) {
    while (at < known.length && (known[at] as Described).anchorId < contender.anchorId) at += 1
    if (known[at] === contender) places[place] = at
    else fresh.push(describedOf(contender))
  }
  return { id, takenAt, support, failing, places, fresh }
}

const describedOf = ({ cost: _cost, rounded: _rounded, ...described }: Contender): Described => described
