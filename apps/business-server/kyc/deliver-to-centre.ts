import { ProblemError } from '@windlass/client/client.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { propagateKyc } from '@windlass/contracts/internal.ts'
import { startOutbox } from '@windlass/service/outbox.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import type { Deps } from '../deps.ts'
import { doubt } from './decide.ts'

/** The outbox's topic for what the centre must hear. */
export const CENTRE = 'central-registry'

/** Names whom a message is about: what it says is sealed. */
export const untoldKey = (centralId: string, deliveryKey: string) => `${centralId} ${deliveryKey}`

/** Whether a decision of ours still waits to be reported to the centre. */
export async function isUntold(db: Db<BusinessDatabase>, centralId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from outbox where topic = ${CENTRE} and delivered_at is null
      and (starts_with(key, ${untoldKey(centralId, '')}) or payload->>'customerId' = ${centralId}) limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Reports decisions to the centre until it has taken them; what it refuses for good is logged and let go. */
export function startReportingToCentre(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  return startOutbox({
    database: { db: deps.database.db as never, url: deps.database.url },
    logger: deps.logger,
    sealer: deps.sealer,
    deliver: {
      [CENTRE]: async ({ payload, key }) => {
        try {
          await deps.central.report(payload as BodyOf<typeof propagateKyc>)
        } catch (error) {
          const final = error instanceof ProblemError && [400, 403, 404].includes(error.status)
          if (!final) throw error
          deps.logger.error({ err: error, key }, 'the centre refuses a decision')
          // Then its own word counts, from the next time on.
          const { customerId } = payload as BodyOf<typeof propagateKyc>
          if (customerId) await doubt(deps.database.db, customerId)
        }
      },
    },
  })
}
