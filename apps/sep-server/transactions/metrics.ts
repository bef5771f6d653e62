import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

const HOURS = 24

/** Wallets' transactions of the last day by what became of them. */
export function publishTransactionMetrics({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  publishGauge(metrics, {
    name: 'windlass_transactions',
    help: `Transactions that wallets started in the last ${HOURS} hours`,
    labels: ['sep', 'kind', 'status'],
    read: kept(async () => {
      const rows = await db
        .selectFrom('transactions')
        .select(['sep', 'kind', 'status', sql<number>`count(*)::int`.as('count')])
        .where('started_at', '>', sql<Date>`now() - ${HOURS} * interval '1 hour'`)
        .groupBy(['sep', 'kind', 'status'])
        .execute()
      return rows.map(({ count, ...labels }) => ({ labels, value: count }))
    }),
  })
}
