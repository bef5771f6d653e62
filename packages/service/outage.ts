import type { FastifyBaseLogger } from 'fastify'

/** Tells of a trouble that many meet again and again: one line when it begins, one when it is over. */
export interface Outage {
  met(error: unknown): void
  /** Something went well again. */
  over(): void
}

/** `what` is the line, such as `the database does not answer`. Times are told in whole seconds. */
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

const AWAY =
  /^(08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** Whether a query failed because the database cannot be reached, is starting or stopping, or takes nobody more. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && AWAY.test(code)) return true
  return (
    typeof message === 'string' &&
    /Connection terminated|timeout exceeded when trying to connect/.test(message)
  )
}
