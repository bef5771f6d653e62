import { ProblemError } from '@windlass/client/client.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { propagateKyc } from '@windlass/contracts/internal.ts'
import { isWaiting, startOutbox } from '@windlass/service/outbox.ts'
import type { Db } from '@windlass/service/database.ts'
import { markStale } from './decide.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'

/** The outbox's topic for what the centre must hear. */
export const CENTRE = 'central-registry'

/** Names whom a message is about: what it says is sealed. */
export const reportKey = (centralId: string, deliveryKey: string) => `${centralId} ${deliveryKey}`

/** Whether a decision of ours still waits to be reported to the centre. */
export async function isReportPending(db: Db<Tables>, centralId: string): Promise<boolean> {
  return isWaiting(db, CENTRE, reportKey(centralId, ''))
}

/** Reports decisions to the centre until it has taken them; what it refuses for good is logged and let go. */
export function startReportingDecisions(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  return startOutbox({
    database: { db: deps.database.db as never, url: deps.database.url },
    logger: deps.logger,
    sealer: deps.sealer,
    deliver: {
      [CENTRE]: async ({ payload, key }) => {
        try {
          await deps.customerRegistry.report(payload as BodyOf<typeof propagateKyc>)
        } catch (error) {
          const final = error instanceof ProblemError && [400, 403, 404].includes(error.status)
          if (!final) throw error
          deps.logger.error({ err: error, key }, 'the centre refuses a decision')
          // Then its own word counts, from the next time on.
          const { customerId } = payload as BodyOf<typeof propagateKyc>
          if (customerId) await markStale(deps.database.db, customerId)
        }
      },
    },
  })
}
