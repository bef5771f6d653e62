import type { ColumnType, Generated, Selectable } from 'kysely'

export interface WebhookEndpointTable {
  id: Generated<string>
  url: string
  secret: string
  events: string[]
  active: Generated<boolean>
  created_at: Generated<Date>
}
export type WebhookEndpoint = Selectable<WebhookEndpointTable>

export interface WebhookDeliveryTable {
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
