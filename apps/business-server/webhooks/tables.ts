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

interface WebhookDeliveryTable {
  id: Generated<string>
  endpoint_id: string
  message_id: string
  event: string
  payload: ColumnType<Record<string, unknown>, string, never>
  state: ColumnType<'waiting' | 'delivered' | 'dead', undefined, 'waiting' | 'delivered' | 'dead'>
  attempts: Generated<number>
  last_status: number | null
  last_error: string | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  delivered_at: Date | null
}
export type WebhookDelivery = Selectable<WebhookDeliveryTable>
