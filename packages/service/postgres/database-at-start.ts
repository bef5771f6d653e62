import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOutage, isDatabaseAway } from '../observe/outage.ts'

const WITHIN_MS = 60_000
const EVERY_MS = 500

/**
 * What a service begins with at its database, tried for about a minute while the database cannot be reached. If the service
 * ended instead, a cluster that replaces its copies would go back to the former release for a few seconds' outage.
 *
 * @param act may be left at any point, and done again
 * @throws what the last try threw, and at once what does not end by itself, such as a wrong password
 */
export async function databaseAtStart(
  logger: FastifyBaseLogger,
  act: () => Promise<void>,
  withinMs = WITHIN_MS,
): Promise<void> {
  const outage = createOutage(logger, 'the start waits for the database')
  const until = performance.now() + withinMs
  for (;;) {
    try {
      await act()
      return outage.over()
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > until) throw error
      outage.met(error)
    }
    await sleep(EVERY_MS)
  }
}
