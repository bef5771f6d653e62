import { ProblemError } from '@windlass/client/client.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { propagateKyc, reportMovement } from '@windlass/contracts/internal/internal.ts'
import { startOutbox } from '@windlass/service/work/outbox.ts'
import { outboxDueAt } from '@windlass/service/work/outbox-rows.ts'
import { MOVEMENTS } from '../compliance/round-trips.ts'
import { markStale } from './decide.ts'
import type { Deps } from '../../deps.ts'

/** The outbox's topic for reports that an older release accepted itself. */
export const REPORTS = 'central-registry'

export const reportsDueAt = outboxDueAt([REPORTS, MOVEMENTS])

const isFinal = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof ProblemError && [403, 404, ...statuses].includes(error.status)

/**
 * Sends the platform, when `drain` is called, what customers moved, and the reports that an older release accepted before it could pass them on;
 * nothing adds to these. A report that is refused is logged and dropped: then the platform's status counts. So is a movement of
 * a customer whom the platform does not know any more; any other that it does not take waits apart, where founders see it.
 */
export function startReportingDecisions(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  return startOutbox({
    database: deps.database,
    logger: deps.logger,
    sealer: deps.sealer,
    looks: false,
    deliver: {
      [MOVEMENTS]: async ({ payload, key }) => {
        try {
          await deps.customerRegistry.reportMovement(payload as BodyOf<typeof reportMovement>)
        } catch (error) {
          if (!isFinal(error)) throw error
          deps.logger.warn({ err: error, key }, 'the platform refused what a customer moved')
        }
      },
      [REPORTS]: async ({ payload, key }) => {
        try {
          await deps.customerRegistry.report(payload as BodyOf<typeof propagateKyc>)
        } catch (error) {
          if (!isFinal(error, 400)) throw error
          deps.logger.error({ err: error, key }, 'the platform refused a KYC decision')
          const { customerId } = payload as BodyOf<typeof propagateKyc>
          if (customerId) await markStale(deps.database.db, customerId)
        }
      },
    },
  })
}
