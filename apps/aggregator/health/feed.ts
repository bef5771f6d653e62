import type { Clock } from '@windlass/service/work/clock.ts'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../tables.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { readBatches, readBatchesSince, readHistory, type BatchedObservation } from './queries.ts'

const HOUR_MS = 3_600_000
/** A batch begun this long before the last one read may still have been uncommitted then. */
const OVERLAP_MS = 120_000

/** Reads the health checks that other processes recorded into memory, each batch once. */
export class HealthFeed {
  readonly #database: { db: Kysely<Tables>; pool: pg.Pool }
  readonly #index: RegistryIndex
  readonly #clock: Clock
  /** Batches that are in memory, with the time at which they came. */
  readonly #known = new Map<string, number>()
  #caughtUpTo: Date

  constructor(database: { db: Kysely<Tables>; pool: pg.Pool }, index: RegistryIndex, clock: Clock) {
    this.#database = database
    this.#index = index
    this.#clock = clock
    this.#caughtUpTo = clock.now()
  }

  /** Reads the last hour. Call it once, before anything else. */
  async begin(): Promise<void> {
    const now = this.#clock.now()
    const since = new Date(now.getTime() - HOUR_MS)
    const recent = new Date(now.getTime() - OVERLAP_MS)
    const batchIds = await readHistory(this.#database.db, since, recent, ({ anchorId, checks }) => {
      const slot = this.#index.slotOf(anchorId)
      for (const check of checks) {
        this.#index.uptime.record(slot, since.getTime() + Math.floor(check / 2), check % 2 === 1)
      }
    })
    for (const id of batchIds) this.remember(id)
    this.#caughtUpTo = now
  }

  knows(batchId: string): boolean {
    return this.#known.has(batchId)
  }

  /** Marks a batch whose checks are in memory already: this process' own. */
  remember(batchId: string): void {
    const now = this.#clock.now().getTime()
    this.#known.set(batchId, now)
    for (const [id, at] of this.#known) {
      if (at > now - 2 * OVERLAP_MS) break
      this.#known.delete(id)
    }
  }

  async read(batchIds: readonly string[]): Promise<void> {
    const unknown = batchIds.filter(id => !this.knows(id))
    if (unknown.length > 0) this.#observe(await readBatches(this.#database.pool, unknown))
  }

  /** Everything since the last time, after the listener was disconnected. */
  async catchUp(): Promise<void> {
    const now = this.#clock.now()
    const since = new Date(this.#caughtUpTo.getTime() - OVERLAP_MS)
    this.#observe(await readBatchesSince(this.#database.pool, since))
    this.#caughtUpTo = now
  }

  #observe(observations: readonly BatchedObservation[]): void {
    const fresh = observations.filter(({ batchId }) => !this.knows(batchId))
    for (const observation of fresh) this.#index.observe(observation)
    for (const { batchId } of fresh) this.remember(batchId)
  }
}
