import { ProblemError } from '@windlass/client/client.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { propagateKyc } from '@windlass/contracts/internal.ts'
import { startOutbox } from '@windlass/service/outbox.ts'
import type { Deps } from '../deps.ts'

/** Reports decisions to the centre until it has taken them; what it refuses for good is logged and let go. */
export function startReportingToCentre(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  return startOutbox({
    database: { db: deps.database.db as never, url: deps.database.url },
    logger: deps.logger,
    deliver: {
      'central-registry': async ({ payload, key }) => {
        try {
          await deps.central.report(payload as BodyOf<typeof propagateKyc>)
        } catch (error) {
          const final = error instanceof ProblemError && [400, 403, 404].includes(error.status)
          if (!final) throw error
          deps.logger.error({ err: error, key }, 'the centre refuses a decision')
        }
      },
    },
  })
}
