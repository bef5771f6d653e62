import type { Amount } from '@windlass/money/amount.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { BatchWriter } from '../database/batch-writer.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { momentOf } from '../ids.ts'
import type { Tables } from '../tables.ts'
import type { Decision } from './decision.ts'
import { findDecision, findWinner, writeDecisions } from './stored-decisions.ts'
import type { Snapshot } from './snapshot.ts'

/** A row in a batch of some hundreds costs half of what it costs in one of thirty (ADR 0010). */
const WRITE_EVERY_MS = 50
const BATCH = 500
/** How long a caller waits where the database is slower than the routes; then it is answered as if it were away. */
const PATIENCE_MS = 1_000
/** A decision younger than this may not be written yet by the process that answered with it. */
const YOUNG_MS = 1_000
/** So it is looked for again after these. */
const ASK_AGAIN_MS = [2 * WRITE_EVERY_MS, 8 * WRITE_EVERY_MS]

/** Decisions that wait to be written, and stored ones. */
export class DecisionJournal {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #writer: BatchWriter<Decision>

  constructor(db: Kysely<Tables>, pool: pg.Pool, clock: Clock, logger: FastifyBaseLogger) {
    this.#db = db
    this.#clock = clock
    const counted = new WeakSet<Snapshot>()
    this.#writer = new BatchWriter({
      what: 'decisions',
      write: decisions => writeDecisions(pool, decisions),
      newBatchId: randomUUID,
      everyMs: WRITE_EVERY_MS,
      patienceMs: PATIENCE_MS,
      size: BATCH,
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

  /**
   * Stores a decision soon. Null: the caller need not wait. Where decisions come faster than they are written it waits
   * for whether this one is written.
   */
  add(decision: Decision): Promise<boolean> | null {
    const written = this.#writer.add(decision)
    return this.#writer.isBehind ? written : null
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  stop(): Promise<void> {
    return this.#writer.stop()
  }

  /** Throws `decision-not-found`. */
  async find(id: string): Promise<Decision> {
    return this.#waiting(id) ?? demand(await this.#stored(id, findDecision))
  }

  /** The anchor id of the winner of a decision, and what was asked for. Throws `decision-not-found`, `no-eligible-anchor`. */
  async winnerOf(id: string): Promise<{ winner: string; asset: string; amount: Amount }> {
    const waiting = this.#waiting(id)
    const { winner, asset, amount } = waiting
      ? { winner: waiting.winner, ...waiting.transaction }
      : demand(await this.#stored(id, findWinner))
    if (winner !== null) return { winner, asset, amount }
    throw new Problem('no-eligible-anchor', 'No anchor could take the transaction of this decision.')
  }

  /** Asks again for one that may not be written yet. */
  async #stored<T>(
    id: string,
    find: (db: Kysely<Tables>, id: string) => Promise<T | null>,
  ): Promise<T | null> {
    for (const ms of this.#isYoung(id) ? ASK_AGAIN_MS : []) {
      const found = await find(this.#db, id)
      if (found !== null) return found
      await sleep(ms)
    }
    return find(this.#db, id)
  }

  #isYoung(id: string): boolean {
    return isUuid(id) && Math.abs(this.#clock.now().getTime() - momentOf(id).getTime()) < YOUNG_MS
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
