/** Runs at most so many tasks at a time, the others in the order they came. */
export class Lane {
  readonly #limit: number
  readonly #waiting: (() => Promise<void>)[] = []
  #next = 0
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get busy(): number {
    return this.#running + this.#waiting.length - this.#next
  }

  /** `task` never rejects. */
  run(task: () => Promise<void>): void {
    if (this.#running < this.#limit) void this.#start(task)
    else this.#waiting.push(task)
  }

  async #start(task: () => Promise<void>): Promise<void> {
    this.#running += 1
    await task()
    this.#running -= 1
    const next = this.#waiting[this.#next]
    if (!next) return
    this.#next += 1
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0
      this.#next = 0
    }
    void this.#start(next)
  }
}
