import type { FastifyBaseLogger } from 'fastify'
import { TooManyWaiting } from '../postgres/turns.ts'

/** Logs a failure that many callers meet repeatedly: one line when it begins, one when it is over. */
export interface Outage {
  met(error: unknown): void
  /** Reports a success, which ends the outage. */
  over(): void
}

/** `what` is the line, such as `the database does not answer`. Times are logged in whole seconds. */
export function createOutage(logger: FastifyBaseLogger, what: string): Outage {
  let since: number | null = null
  let times = 0
  return {
    met: error => {
      times++
      if (since !== null) return
      since = performance.now()
      logger.warn({ err: error }, what)
    },
    over: () => {
      if (since === null) return
      const seconds = Math.round((performance.now() - since) / 1_000)
      logger.info({ seconds, times }, `over: ${what}`)
      since = null
      times = 0
    },
  }
}

// 25006: a standby, which is to be the primary soon, refused a write.
const AWAY_CODE =
  /^(08...|25006|57P0[1-5]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
// Errors that the driver throws without a code: a connection broke before a query, or none was free.
const AWAY_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/**
 * Whether a query failed because the database cannot be reached, is starting or stopping, accepts no further
 * connection or takes no writes yet: the driver's connection errors and Postgres' classes 08 and 57P0x.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? AWAY_CODE.test(code) : AWAY_MESSAGE.test(error.message)
}

/** Whether a query failed for a reason that passes by itself: the database is away, or has more to do than it does at once. */
export const failedForNow = (error: unknown): boolean =>
  error instanceof TooManyWaiting || isDatabaseAway(error)
