import type { FastifyBaseLogger } from 'fastify'

export interface BatchWriterOptions<T> {
  /** For the log. */
  what: string
  /** Writes a batch in one statement. `batchId` is the same each time one batch is tried. */
  write(items: readonly T[], batchId: string): Promise<void>
  newBatchId(): string
  everyMs: number
  /** Items of one statement. */
  size: number
  /** While the database is away so many wait; the oldest go first. */
  waiting: number
  logger: FastifyBaseLogger
}

/**
 * Collects what many acts want written and writes it a few times a second, so that no act waits for it. A batch that
 * could not be written is tried again as it was; what came before is never written after what came later.
 */
export class BatchWriter<T> {
  readonly #options: BatchWriterOptions<T>
  #queue: T[] = []
  #batch: { id: string; items: T[] } | null = null
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | null = null
  #lost = 0

  constructor(options: BatchWriterOptions<T>) {
    this.#options = options
  }

  add(item: T): void {
    this.#queue.push(item)
    if (this.#queue.length > this.#options.waiting) {
      this.#queue.splice(0, this.#queue.length - Math.floor(this.#options.waiting * 0.9))
      this.#lost += 1
      if (this.#lost === 1)
        this.#options.logger.error(`too many ${this.#options.what} wait: the oldest are lost`)
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.everyMs)
  }

  /** What has not been written yet, oldest first. */
  *pending(): Iterable<T> {
    if (this.#batch) yield* this.#batch.items
    yield* this.#queue
  }

  /** Writes what waits. Resolves when it is written or could not be; never throws. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing
    this.#writing = this.#drain().finally(() => {
      this.#writing = null
    })
    await this.#writing
  }

  /** Writes what waits, one last time. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
    clearTimeout(this.#timer)
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      while (this.#batch || this.#queue.length > 0) {
        this.#batch ??= { id: this.#options.newBatchId(), items: this.#queue.splice(0, this.#options.size) }
        await this.#options.write(this.#batch.items, this.#batch.id)
        this.#batch = null
      }
      this.#lost = 0
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const { what, logger } = this.#options
    if (isRefusal(error)) {
      logger.error({ err: error, lost: this.#batch?.items.length }, `a batch of ${what} cannot be written`)
      this.#batch = null
    } else {
      logger.warn({ err: error, waiting: this.#queue.length }, `${what} not written yet`)
    }
    this.#timer = setTimeout(() => void this.flush(), 1_000)
  }
}

/** Postgres' classes 22 and 23 (wrong data, broken constraint): trying again would block all that follows. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code)
}
