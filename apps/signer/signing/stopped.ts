import type { StoppedRequests } from '@windlass/contracts/internal/signer.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { ServerName, Tables } from '../tables.ts'
import type { Refusal } from './refusal.ts'

const SHOWN = 100

/** Records a refused request for the operator, with the others of its reason and hour. */
export async function recordStopped(
  db: Db<Tables>,
  anchorId: string,
  server: ServerName,
  { reason, message }: Refusal,
): Promise<void> {
  const detail = message.slice(0, 500)
  await db
    .insertInto('stopped')
    .values({
      anchor_id: anchorId,
      server,
      reason,
      detail,
      hour: sql<Date>`date_trunc('hour', clock_timestamp())`,
    })
    .onConflict(conflict =>
      conflict.columns(['anchor_id', 'server', 'reason', 'hour']).doUpdateSet({
        detail,
        count: sql<number>`stopped.count + 1`,
        last_at: sql<Date>`clock_timestamp()`,
      }),
    )
    .execute()
}

export async function listStopped(db: Db<Tables>, anchorId: string): Promise<StoppedRequests[]> {
  const rows = await db
    .selectFrom('stopped')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('last_at', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map(({ server, reason, detail, count, first_at, last_at }) => ({
    ...{ server, reason, detail, count },
    firstAt: first_at.toISOString(),
    lastAt: last_at.toISOString(),
  }))
}

/** Removes refusals of more than 30 days ago. */
export async function pruneStopped(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('stopped')
    .where('last_at', '<', sql<Date>`clock_timestamp() - interval '30 days'`)
    .execute()
}
