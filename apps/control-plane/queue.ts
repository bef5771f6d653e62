import { loop, type Loop, type LoopOptions } from '@windlass/service/work/loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'

export interface QueueOptions extends Omit<LoopOptions, 'act' | 'logger'> {
  logger: Pick<FastifyBaseLogger, 'warn' | 'info' | 'debug'>
  /** How many pieces of work run at once here. */
  atOnce: number
  /** Ids of work that is due, the most urgent first; at most `free` of them begin. May name what runs already. */
  due(free: number): Promise<string[]>
  /** Must be harmless for work that is not due any more or that another process does. */
  run(id: string, stopping: AbortSignal): Promise<void>
}

/**
 * Background work of which several pieces run at once. What is due is decided by `due`, looked at on each round of a
 * loop; a piece that failed waits for the next one.
 */
export function startQueue(options: QueueOptions): Loop {
  const { atOnce, logger, name, stopWithinMs } = options
  const running = new Map<string, Promise<void>>()
  const stopped = new AbortController()

  const begin = (id: string): void => {
    const work = options.run(id, stopped.signal).then(
      () => {
        running.delete(id)
        rounds.wake()
      },
      error => {
        running.delete(id)
        if (stopped.signal.aborted) return
        logger.warn({ err: error, queue: name, id }, 'work failed and waits for its next try')
      },
    )
    running.set(id, work)
  }
  const rounds = loop({
    ...options,
    act: async stopping => {
      const free = atOnce - running.size
      if (free <= 0) return
      for (const id of await options.due(free)) {
        if (running.size >= atOnce || stopping.aborted) return
        if (!running.has(id)) begin(id)
      }
    },
  })
  return {
    wake: rounds.wake,
    idle: async () => {
      do {
        await rounds.idle()
        await Promise.all(running.values())
        await rounds.idle()
      } while (running.size > 0)
    },
    stop: async () => {
      stopped.abort(new Error('stopping'))
      const late = stopWithinMs === undefined ? [] : [sleep(stopWithinMs, undefined, { ref: false })]
      await Promise.race([Promise.all([rounds.stop(), ...running.values()]), ...late])
    },
  }
}
