import type { Db } from '@windlass/service/postgres/database.ts'
import { createWebhookSender, type WebhookSender } from '@windlass/service/outbound/webhook-sender.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { openSecret } from './endpoints.ts'
import type { Tables, WebhookDelivery } from '../../tables.ts'

/** For the due work. */
export const webhooksDueAt = sql<Date | null>`
  select min(next_try_at) from webhook_deliveries where state = 'waiting'`

/** Sends events to the endpoints of the anchor's developers. Each endpoint is a recipient: the anchor has them all. */
export const createDeveloperSender = (deps: Deps): WebhookSender =>
  createWebhookSender({
    deps,
    table: 'webhook_deliveries',
    recipient: sql<string>`endpoint_id::text`,
    destinations: async ids => {
      const { db } = deps.database
      const rows = await db.selectFrom('webhook_endpoints').selectAll().where('id', 'in', ids).execute()
      return new Map(
        rows.map(row => [
          row.id,
          { recipient: row.id, url: row.url, secret: () => openSecret(deps.sealer, row) },
        ]),
      )
    },
    body: (row: WebhookDelivery) => JSON.stringify(row.payload),
  })

/** Removes deliveries that succeeded, or were given up, more than 30 days ago. */
export async function pruneWebhookDeliveries(db: Db<Tables>): Promise<void> {
  // The last attempt of one that was given up is when it would have been due again.
  await sql`
    delete from webhook_deliveries
    where (state = 'delivered' and delivered_at < now() - interval '30 days')
      or (state = 'dead' and next_try_at < now() - interval '30 days')`.execute(db)
}
