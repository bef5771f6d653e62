import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

/** How long the audit log's oldest entry has waited for its signature. */
export function publishAuditMetrics({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  publishGauge(metrics, {
    name: 'windlass_audit_unsigned_seconds',
    help: 'Time since the oldest entry of the audit log was written that is not signed; 0: all are',
    read: kept(async () => {
      const { rows } = await sql<{ seconds: number | null }>`
        select extract(epoch from clock_timestamp() - min(at))::float8 as seconds from audit_log
        where sequence > coalesce((select sequence from audit_signature), 0)`.execute(db)
      return Math.max(0, rows[0]?.seconds ?? 0)
    }),
  })
}
