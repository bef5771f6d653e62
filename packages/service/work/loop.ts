import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { failedForNow, isDatabaseAway, type Outage } from '../observe/outage.ts'
import { outsideRequests } from '../observe/request-context.ts'

/** Background work that repeats. */
export interface Loop {
  /** Runs a round now; during a round, another one after it. */
  wake(): void
  /** Resolves when no round is running. */
  idle(): Promise<void>
  /** Starts no further round and waits for the one that is running, at most `stopWithinMs`. */
  stop(): Promise<void>
}

export interface LoopOptions {
  /** For the log. */
  name: string
  /** One round. It must be safe to leave at any point: `stopping` aborts when the loop stops. */
  act(stopping: AbortSignal): Promise<unknown>
  /**
   * Milliseconds between two rounds that nobody asked for, a function where it depends on the round before; null: only
   * `wake` starts a round.
   */
  everyMs: number | null | (() => number)
  logger: Pick<FastifyBaseLogger, 'warn' | 'debug'>
  /** Collects failures whose cause is the database, which every loop meets at once. */
  outage?: Outage
  /** Default: true. False where the first round has to wait for the first interval or `wake`. */
  startNow?: boolean
  /** Milliseconds; by default `stop` waits for the round to end. */
  stopWithinMs?: number
}

/** The longest pause after rounds that failed. */
const MAX_PAUSE_MS = 30_000
/** Where the database is away or has too much to do, which ends by itself, such as when a standby takes over. */
const MAX_PAUSE_AWAY_MS = 5_000

/**
 * Runs `act` at intervals and on `wake`, never two rounds at a time. After a failed round the next one waits: twice
 * as long after each failure, at most 30 s, or 5 s where the database is away or has too much to do.
 */
export function loop(options: LoopOptions): Loop {
  const { act, everyMs, stopWithinMs } = options
  const stopping = new AbortController()
  let [again, failures, restUntil] = [false, 0, 0]
  let running: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined

  const round = async (): Promise<boolean> => {
    const began = performance.now()
    try {
      await act(stopping.signal)
      options.logger.debug({ loop: options.name, ms: Math.round(performance.now() - began) }, 'a round ended')
      failures = 0
      options.outage?.over()
      return true
    } catch (error) {
      if (stopping.signal.aborted) return false
      const pause = Math.min(
        failedForNow(error) ? MAX_PAUSE_AWAY_MS : MAX_PAUSE_MS,
        (typeof everyMs === 'number' ? everyMs : 1_000) * 2 ** Math.min(failures++, 10),
      )
      restUntil = performance.now() + pause
      // A timer may be a moment early.
      retry = setTimeout(() => {
        restUntil = 0
        wake()
      }, pause)
      report(options, error, failures)
      return false
    }
  }
  const rounds = async (): Promise<void> => {
    do again = false
    while ((await round()) && again && !stopping.signal.aborted)
  }
  const wake = (): void => {
    if (stopping.signal.aborted) return
    again = true
    // The timer of the pause wakes it.
    if (performance.now() < restUntil) return
    clearTimeout(retry)
    // A round does all open work, so it carries no request id, even when one request woke it.
    running ??= outsideRequests(rounds).finally(() => {
      running = null
      waitForNext()
    })
  }
  const waitForNext = (): void => {
    clearTimeout(timer)
    if (everyMs === null || stopping.signal.aborted) return
    timer = setTimeout(wake, typeof everyMs === 'number' ? everyMs : everyMs())
  }
  if (options.startNow ?? true) wake()
  else waitForNext()
  return {
    wake,
    idle: async () => void (await running),
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      clearTimeout(retry)
      const late = stopWithinMs === undefined ? [] : [sleep(stopWithinMs, undefined, { ref: false })]
      await Promise.race([running, ...late])
    },
  }
}

function report({ name, logger, outage }: LoopOptions, error: unknown, failures: number): void {
  if (outage && isDatabaseAway(error)) outage.met(error)
  else logger.warn({ err: error, loop: name, failures }, 'a round failed')
}
