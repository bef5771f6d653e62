import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'

/** Calls that the SEP server has not received yet: until then wallets see an older status. */
export function publishSepCallMetrics({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  const read = kept(() =>
    db
      .selectFrom('platform_calls')
      .select([
        sql<number>`count(*)::int`.as('count'),
        sql<number | null>`extract(epoch from clock_timestamp() - min(created_at))::float8`.as('oldest'),
      ])
      .where('delivered_at', 'is', null)
      .executeTakeFirstOrThrow(),
  )
  publishGauge(metrics, {
    name: 'windlass_sep_calls',
    help: 'Calls that the SEP server has not received yet',
    read: async () => (await read()).count,
  })
  publishGauge(metrics, {
    name: 'windlass_sep_call_oldest_seconds',
    help: 'Time since the oldest call was queued that the SEP server has not received; 0: there is none',
    read: async () => (await read()).oldest ?? 0,
  })
}

/** How many calls the SEP server refused in the last day. Those after them were sent. */
export const refusedCalls = scalar(
  sql<number>`select count(*) from platform_calls
    where refused is not null and delivered_at > now() - interval '1 day'`,
  Number,
)

/** Calls that the SEP server refused, the newest first; old ones are removed. */
export function listRefusedCalls(db: Db<Tables>, limit: number) {
  return db
    .selectFrom('platform_calls')
    .select(['id', 'transfer_id', 'method', 'refused', 'created_at'])
    .where('refused', 'is not', null)
    .orderBy('delivered_at', 'desc')
    .limit(limit)
    .execute()
}
