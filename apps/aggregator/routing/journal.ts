import type { Amount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { BatchWriter } from '../database/batch-writer.ts'
import type { Tables } from '../tables.ts'
import type { Decision } from './decision.ts'
import { findDecision, findWinner, writeDecisions } from './stored-decisions.ts'
import type { Snapshot } from './snapshot.ts'

/** How long a caller waits for its decision to be stored; then it is answered as if the database were away. */
const PATIENCE_MS = 1_000

/** Decisions that wait to be written, and stored ones. */
export class DecisionJournal {
  readonly #db: Kysely<Tables>
  readonly #writer: BatchWriter<Decision>

  constructor(db: Kysely<Tables>, pool: pg.Pool, logger: FastifyBaseLogger) {
    this.#db = db
    const counted = new WeakSet<Snapshot>()
    this.#writer = new BatchWriter({
      what: 'decisions',
      write: decisions => writeDecisions(pool, decisions),
      newBatchId: randomUUID,
      // Decisions that come while a batch is being written form the next one: the busier, the larger.
      everyMs: 0,
      patienceMs: PATIENCE_MS,
      size: 500,
      waiting: 500_000,
      // A snapshot waits with the first decision on it, and is as large as all its contenders.
      weight: ({ snapshot }) => {
        if (counted.has(snapshot)) return 1
        counted.add(snapshot)
        return 1 + snapshot.contenders.length
      },
      logger,
    })
  }

  /** Resolves to true once the decision is stored, to false where it will be later. */
  add(decision: Decision): Promise<boolean> {
    return this.#writer.add(decision)
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  stop(): Promise<void> {
    return this.#writer.stop()
  }

  /** Throws `decision-not-found`. */
  async find(id: string): Promise<Decision> {
    return this.#waiting(id) ?? demand(await findDecision(this.#db, id))
  }

  /** The anchor id of the winner of a decision, and what was asked for. Throws `decision-not-found`, `no-eligible-anchor`. */
  async winnerOf(id: string): Promise<{ winner: string; asset: string; amount: Amount }> {
    const waiting = this.#waiting(id)
    const { winner, asset, amount } = waiting
      ? { winner: waiting.winner, ...waiting.transaction }
      : demand(await findWinner(this.#db, id))
    if (winner !== null) return { winner, asset, amount }
    throw new Problem('no-eligible-anchor', 'No anchor could take the transaction of this decision.')
  }

  #waiting(id: string): Decision | null {
    for (const decision of this.#writer.pending()) if (decision.id === id) return decision
    return null
  }
}

function demand<T>(found: T | null): T {
  if (found === null) throw new Problem('decision-not-found', 'There is no routing decision with this id.')
  return found
}
