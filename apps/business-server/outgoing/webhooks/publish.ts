import type { WebhookEvent } from '@windlass/contracts/anchor/developer-api.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Tables } from '../../tables.ts'

/** Queues an event for every endpoint that subscribes to it, in the caller's transaction. */
export async function publishEvent(tx: Db<Tables>, event: WebhookEvent, data: object): Promise<void> {
  const payload = JSON.stringify({ type: event, data })
  await sql`
    insert into webhook_deliveries (endpoint_id, message_id, event, payload)
    select id, ${`msg_${randomUUID()}`}, ${event},
      ${payload}::jsonb || jsonb_build_object('timestamp', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from webhook_endpoints
    where active and (events @> array['*'] or events @> array[${event}])`.execute(tx)
}
