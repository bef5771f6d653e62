import type { FastifyBaseLogger } from 'fastify'

export interface BatchWriterOptions<T> {
  /** For the log. */
  what: string
  /** Writes a batch in one statement. `batchId` is the same each time one batch is tried; a try may repeat another. */
  write(items: readonly T[], batchId: string): Promise<void>
  newBatchId(): string
  /** Between the first item of a batch and its writing; 0: as soon as the batch before is written. */
  everyMs: number
  /** How long a caller waits to hear that its item is written; by default without limit. */
  patienceMs?: number
  /** Items of one statement. */
  size: number
  /** How much can wait while the database is away; beyond it the oldest batches are dropped. */
  waiting: number
  /** How much an item adds to what waits; by default 1. */
  weight?(item: T): number
  logger: FastifyBaseLogger
}

interface Batch<T> {
  id: string | null
  items: T[]
  weight: number
  /** Resolves to whether it was written, once that is known or the wait is over. */
  outcome: PromiseWithResolvers<boolean>
  /** The callers that waited were answered that it is not written. */
  givenUp: boolean
  patience: NodeJS.Timeout | undefined
}

/**
 * Collects the writes of many requests and writes them together. A batch that could not be written is retried unchanged;
 * an earlier item is never written after a later one.
 */
export class BatchWriter<T> {
  readonly #options: BatchWriterOptions<T>
  /** Oldest first; the last one is still filling unless it is being written. */
  #batches: Batch<T>[] = []
  #filling: Batch<T> | null = null
  #weight = 0
  #timer: NodeJS.Timeout | undefined
  #soon = false
  #writing: Promise<void> | null = null
  #failing = false
  #losing = false

  constructor(options: BatchWriterOptions<T>) {
    this.#options = options
  }

  /** Resolves to true once the item is written, to false where it will be written later; never rejects. */
  add(item: T): Promise<boolean> {
    if (this.#filling === null || this.#filling.items.length >= this.#options.size) this.#open()
    const batch = this.#filling as Batch<T>
    const weight = this.#options.weight?.(item) ?? 1
    batch.items.push(item)
    batch.weight += weight
    this.#weight += weight
    this.#dropOldest()
    this.#schedule()
    return batch.outcome.promise
  }

  /** Whether items come faster than they are written: a full batch waits behind the one that is being written. */
  get isBehind(): boolean {
    return this.#batches.length > 2
  }

  /** What has not been written yet, oldest first. */
  *pending(): Iterable<T> {
    for (const { items } of this.#batches) yield* items
  }

  /** Writes what waits. Resolves when that succeeded or failed; never throws. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing
    this.#writing = this.#drain().finally(() => {
      this.#writing = null
      if (this.#batches.length > 0) this.#schedule()
    })
    await this.#writing
  }

  /** Writes what waits, one last time. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
    clearTimeout(this.#timer)
  }

  #open(): void {
    const batch: Batch<T> = {
      id: null,
      items: [],
      weight: 0,
      outcome: Promise.withResolvers<boolean>(),
      givenUp: false,
      patience: undefined,
    }
    const { patienceMs } = this.#options
    if (this.#failing) giveUp(batch)
    else if (patienceMs !== undefined) batch.patience = setTimeout(() => giveUp(batch), patienceMs)
    this.#batches.push(batch)
    this.#filling = batch
  }

  #schedule(): void {
    if (this.#options.everyMs > 0 || this.#failing) {
      this.#timer ??= setTimeout(() => void this.flush(), this.#options.everyMs || 1_000)
    } else if (!this.#soon && this.#writing === null) {
      this.#soon = true
      // After all items that this turn of the event loop adds.
      setImmediate(() => {
        this.#soon = false
        void this.flush()
      })
    }
  }

  #dropOldest(): void {
    const { waiting, what, logger } = this.#options
    while (this.#weight > waiting && this.#batches.length > 1) {
      // The first may be under way to the database.
      const [oldest] = this.#batches.splice(this.#writing ? 1 : 0, 1)
      if (!oldest || oldest === this.#filling) return
      this.#weight -= oldest.weight
      giveUp(oldest)
      if (!this.#losing) logger.error(`too many ${what} wait: the oldest are lost`)
      this.#losing = true
    }
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
        await this.#write(batch).catch(error => this.#refused(batch, error))
      }
      this.#losing = false
    } catch (error) {
      this.#failed(error)
    }
  }

  async #write(batch: Batch<T>): Promise<void> {
    if (batch === this.#filling) this.#filling = null
    batch.id ??= this.#options.newBatchId()
    const { givenUp } = batch
    await this.#options.write(batch.items, batch.id)
    this.#failing = false
    // A caller that was answered in the meantime that it is not written may have marked the items so.
    if (batch.givenUp !== givenUp) return
    this.#leave(batch)
    batch.outcome.resolve(true)
  }

  #leave(batch: Batch<T>): void {
    clearTimeout(batch.patience)
    this.#batches.splice(this.#batches.indexOf(batch), 1)
    this.#weight -= batch.weight
  }

  /** Splits a batch that Postgres refuses, until the item is found that cannot be written: it is lost, and no other. */
  #refused(batch: Batch<T>, error: unknown): void {
    if (!isRefusal(error)) throw error
    giveUp(batch)
    this.#leave(batch)
    const { what, logger } = this.#options
    const { items } = batch
    if (items.length === 1)
      return logger.error({ err: error }, `one of ${what} cannot be written, and is lost`)
    const middle = items.length >> 1
    const halves = [items.slice(0, middle), items.slice(middle)].map(half => this.#half(batch, half))
    this.#batches.unshift(...halves)
    this.#weight += batch.weight
  }

  #half(of: Batch<T>, items: T[]): Batch<T> {
    const weigh = this.#options.weight ?? (() => 1)
    return { ...of, id: null, items, weight: items.reduce((sum, item) => sum + weigh(item), 0) }
  }

  #failed(error: unknown): void {
    const { what, logger } = this.#options
    logger.warn({ err: error, waiting: this.#weight }, `${what} not written yet`)
    this.#failing = true
    this.#batches.forEach(giveUp)
    this.#timer = setTimeout(() => void this.flush(), 1_000)
  }
}

function giveUp<T>(batch: Batch<T>): void {
  clearTimeout(batch.patience)
  batch.givenUp = true
  batch.outcome.resolve(false)
}

/** Postgres' classes 22 and 23 (wrong data, broken constraint): trying again would block all that follows. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code)
}
