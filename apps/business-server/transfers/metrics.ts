import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

/** Customers' transfers that are under way. */
export function publishTransferMetrics({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  publishGauge(metrics, {
    name: 'windlass_transfers',
    help: 'Deposits and withdrawals that are under way',
    labels: ['direction', 'state'],
    read: kept(async () => {
      const rows = await db
        .selectFrom('transfers')
        .select(['direction', 'state', sql<number>`count(*)::int`.as('count')])
        .where('state', 'in', [
          'new',
          'identifying',
          'awaiting_funds',
          'funded',
          'awaiting_trust',
          'paying_out',
          'sent_back',
          'returning',
        ])
        .groupBy(['direction', 'state'])
        .execute()
      return rows.map(({ direction, state, count }) => ({ labels: { direction, state }, value: count }))
    }),
  })
}
