import { setTimeout as sleep } from 'node:timers/promises'
import { type Progress, formatSeconds } from './progress.ts'
import { type RunningPart, StartFailure } from './service-process.ts'

/** Something that can be started and restarted. */
export interface Part {
  name: string
  title: string
  /** Resolves once it is healthy. Reports the process as soon as it exists, so that it can be stopped earlier. */
  start(launched: (running: RunningPart) => void): Promise<void>
  /** Called once it will not be started again. */
  release?(): void
}

/** Requests that are under way end within this, or are cut off. */
const HAND_OVER_MS = 15_000

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const LONGEST_WAIT = 2_000
/** A part that ran this long counts as healthy: the next pause is short. */
const WELL_AFTER = 60_000

/** Keeps a part running until it is stopped. */
export class Supervisor {
  readonly part: Part
  #running: RunningPart | undefined
  #stopping = new AbortController()
  #progress: Progress

  #ended: (description: string) => void

  /** `ended`: called whenever it ends by itself. */
  constructor(part: Part, progress: Progress, ended: (description: string) => void = () => undefined) {
    this.part = part
    this.#progress = progress
    this.#ended = ended
  }

  /** Starts it; from then on it is restarted whenever it ends. */
  async start(): Promise<void> {
    void this.#watch(await this.#launch())
  }

  /** Stops it permanently. */
  async stop(patience: number): Promise<void> {
    this.#stopping.abort()
    this.part.release?.()
    await this.#running?.stop(patience)
  }

  /** A new process takes over from the present one, which ends once its requests have ended. */
  async replace(): Promise<void> {
    const before = this.#running
    if (before?.handOver === undefined)
      throw new Error(`${this.part.title} does not run, or cannot be replaced`)
    try {
      const next = await this.#launch()
      void this.#watch(next)
    } catch (error) {
      this.#running = before
      // Where it ended meanwhile, its watcher took it for replaced.
      if (await hasEnded(before)) void this.#watch(before)
      throw error
    }
    await before.handOver(HAND_OVER_MS)
  }

  async #launch(): Promise<RunningPart> {
    let launched: RunningPart | undefined
    await this.part.start(running => {
      launched = running
      this.#running = running
      if (this.#stopping.signal.aborted) void running.stop(1000)
    })
    if (launched === undefined) throw new Error(`${this.part.title} was not started`)
    return launched
  }

  async #watch(first: RunningPart): Promise<void> {
    let running: RunningPart | undefined = first
    let pause = FIRST_PAUSE
    while (running !== undefined) {
      const since = performance.now()
      const ending = await running.ended
      if (this.#stopping.signal.aborted || this.#running !== running) return
      this.#ended(ending.description)
      if (ending.hopeless) {
        this.part.release?.()
        this.#progress.fail(
          `${this.part.title} ended with ${ending.description}; its settings are wrong, see its log`,
        )
        return
      }
      if (performance.now() - since > WELL_AFTER) pause = FIRST_PAUSE
      running = await this.#startAgain(ending.description, pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  async #startAgain(description: string, firstPause: number): Promise<RunningPart | undefined> {
    let reason = `ended with ${description}`
    for (let pause = firstPause; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      // Connections are refused rather than kept waiting for long.
      if (pause > LONGEST_WAIT) this.part.release?.()
      this.#progress.warn(`${this.part.title} ${reason}\n    restarting in ${formatSeconds(pause)}`)
      const woken = await sleep(pause, true, { signal: this.#stopping.signal }).catch(() => false)
      if (!woken) return undefined
      const started = performance.now()
      try {
        const running = await this.#launch()
        this.#progress.done(this.part.title, 'is back', performance.now() - started)
        return running
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined
        if (error instanceof StartFailure && error.hopeless) {
          this.part.release?.()
          this.#progress.fail(error.message)
          return undefined
        }
        reason = `did not restart: ${error instanceof Error ? error.message : String(error)}`
      }
    }
  }
}

const hasEnded = ({ ended }: RunningPart): Promise<boolean> =>
  Promise.race([ended.then(() => true), sleep(0, false)])
