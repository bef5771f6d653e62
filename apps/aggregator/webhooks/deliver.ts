import { createWebhookSender, type WebhookSender } from '@windlass/service/outbound/webhook-sender.ts'
import { sql } from 'kysely'
import type { WalletDeliveryRow } from '../tables.ts'
import type { WebhookDeps } from './deps.ts'
import { openSecret } from './endpoints.ts'

/** Sends events to the endpoints of wallets. A recipient is a key: one person may have many endpoints with it. */
export const createWalletSender = (deps: WebhookDeps): WebhookSender =>
  createWebhookSender({
    deps,
    table: 'webhook_deliveries',
    recipient: sql<string>`(
      select key_id::text from webhook_endpoints where webhook_endpoints.id = webhook_deliveries.endpoint_id)`,
    destinations: async ids => {
      const { db } = deps.database
      const rows = await db.selectFrom('webhook_endpoints').selectAll().where('id', 'in', ids).execute()
      return new Map(
        rows.map(row => [
          row.id,
          { recipient: row.key_id, url: row.url, secret: () => openSecret(deps, row) },
        ]),
      )
    },
    body: (row: WalletDeliveryRow) => row.payload,
  })
