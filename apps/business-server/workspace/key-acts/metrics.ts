import type { Server } from '@windlass/service/http/server.ts'
import { publishOutbox } from '@windlass/service/observe/outbox-metrics.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { refusedCalls } from '../../outgoing/sep-calls/metrics.ts'

/** What this server sends to other programs: its outbox, and beside it acts of keys and calls of the SEP server that are refused. */
export function publishMessages({ app: { metrics } }: Server, { database: { db } }: Deps): void {
  publishOutbox(metrics, db, async () => {
    const acts = await db
      .selectFrom('key_acts')
      .select(['refused_code as code', sql<number>`count(*)::int`.as('messages')])
      .where('reported_at', 'is', null)
      .where('refused_code', 'is not', null)
      .groupBy('refused_code')
      .execute()
    const calls = await readScalar(db, refusedCalls)
    return [
      ...acts.map(({ code, messages }) => ({ topic: 'key-acts', code: code ?? '', messages })),
      ...(calls > 0 ? [{ topic: 'sep-calls', code: 'refused', messages: calls }] : []),
    ]
  })
}
