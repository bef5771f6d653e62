import type { Server } from '@windlass/service/http/server.ts'
import { publishRefused } from '@windlass/service/observe/outbox-metrics.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { refusedCalls } from '../../outgoing/sep-calls/metrics.ts'

/** What other programs refuse whenever this server sends it: acts of keys, and calls of the SEP server. */
export function publishRefusedMessages({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  publishRefused(metrics, async () => {
    const acts = await db
      .selectFrom('key_acts')
      .select(['refused_code as code', sql<number>`count(*)::int`.as('messages')])
      .where('reported_at', 'is', null)
      .where('refused_code', 'is not', null)
      .groupBy('refused_code')
      .execute()
    const calls = await refusedCalls(db)
    return [
      ...acts.map(({ code, messages }) => ({ topic: 'key-acts', code: code ?? '', messages })),
      ...(calls > 0 ? [{ topic: 'sep-calls', code: 'refused', messages: calls }] : []),
    ]
  })
}
