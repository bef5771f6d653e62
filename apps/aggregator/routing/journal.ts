import { Problem } from '@windlass/service/problem.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { BatchWriter } from '../batch-writer.ts'
import type { Tables } from '../database.ts'
import type { Decision } from './decision.ts'
import { findDecision, loadRow, writeDecisions, writtenForm, type WrittenDecision } from './queries.ts'

/** Decisions on their way to the database, and those that are there. */
export class DecisionJournal {
  readonly #db: Kysely<Tables>
  readonly #writer: BatchWriter<WrittenDecision>

  constructor(db: Kysely<Tables>, pool: pg.Pool, logger: FastifyBaseLogger) {
    this.#db = db
    this.#writer = new BatchWriter({
      what: 'decisions',
      write: decisions => writeDecisions(pool, decisions),
      newBatchId: randomUUID,
      everyMs: 50,
      size: 500,
      waiting: 50_000,
      logger,
    })
  }

  // Brought into its written form at once: a batch of objects would be as much work again, all in one pause.
  add(decision: Decision): void {
    this.#writer.add(writtenForm(decision))
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  stop(): Promise<void> {
    return this.#writer.stop()
  }

  /** Throws `decision-not-found`. */
  async find(id: string): Promise<Decision> {
    for (const written of this.#writer.pending()) if (written.id === id) return loadRow(written)
    const decision = await findDecision(this.#db, id)
    if (!decision) throw new Problem('decision-not-found', 'There is no routing decision with this id.')
    return decision
  }
}
