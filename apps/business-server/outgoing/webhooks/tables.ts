import type { DeliveryTable } from '@windlass/service/outbound/webhook-sender.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface WebhooksTables {
  webhook_endpoints: WebhookEndpointTable
  webhook_deliveries: WebhookDeliveryTable
}

interface WebhookEndpointTable {
  id: Generated<string>
  url: string
  sealed_secret: Buffer | null
  /** As an earlier release wrote it; null once it is encrypted. */
  secret: ColumnType<string | null, undefined, null>
  events: string[]
  active: Generated<boolean>
  created_at: Generated<Date>
}
export type WebhookEndpoint = Selectable<WebhookEndpointTable>

interface WebhookDeliveryTable extends DeliveryTable {
  payload: ColumnType<Record<string, unknown>, string, never>
}
export type WebhookDelivery = Selectable<WebhookDeliveryTable>
