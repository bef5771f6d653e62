import type { Clock } from '@windlass/service/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'

/** Whether the database answers, and what time it is there: what several machines agree on. */
export interface DatabaseWatch {
  readonly up: boolean
  readonly clock: Clock
  stop(): void
}

const EVERY_MS = 1_000
const ANSWER_WITHIN_MS = 2_000

/**
 * Asks the database for its time every second. `clock` is ours corrected by the difference, so that a machine whose
 * clock is off dates its checks and quotes like the others.
 */
export async function watchDatabase(
  pool: pg.Pool,
  local: Clock,
  logger: FastifyBaseLogger,
): Promise<DatabaseWatch> {
  let up = false
  let offset = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const ask = async (): Promise<void> => {
    const before = local.now().getTime()
    try {
      const { rows } = await withDeadline(pool.query<{ now: Date }>('select clock_timestamp() as now'))
      const after = local.now().getTime()
      const [row] = rows
      if (row) offset = smooth(offset, row.now.getTime() - (before + after) / 2)
      if (!up) logger.info('the database answers')
      up = true
    } catch (error) {
      if (up) logger.warn({ err: error }, 'the database does not answer; serving from memory')
      up = false
    }
    if (!stopped) timer = setTimeout(() => void ask(), EVERY_MS)
  }
  await ask()
  return {
    get up() {
      return up
    },
    clock: { now: () => new Date(local.now().getTime() + offset) },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

// A difference this small is the way there and back: following it would make time jitter.
const smooth = (known: number, measured: number) =>
  Math.abs(measured - known) < 250 ? known : Math.round(measured)

async function withDeadline<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timed out')), ANSWER_WITHIN_MS)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
