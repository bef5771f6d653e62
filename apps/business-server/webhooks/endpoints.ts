import type { Db } from '@windlass/service/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/pages.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { after } from '../paging.ts'
import type { Tables, WebhookDelivery, WebhookEndpoint } from '../tables.ts'

/** Throws `validation-failed` for what is no web address, or plain http outside development. */
export async function addEndpoint(
  db: Db<Tables>,
  url: string,
  events: string[],
  plainHttp: boolean,
): Promise<WebhookEndpoint> {
  const { protocol, username } = new URL(url)
  if (protocol !== 'https:' && !(plainHttp && protocol === 'http:'))
    throw invalid('url', 'must be an https address')
  if (username) throw invalid('url', 'must not carry credentials')
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return db
    .insertInto('webhook_endpoints')
    .values({ url, events, secret })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function listEndpoints(db: Db<Tables>): Promise<WebhookEndpoint[]> {
  return db.selectFrom('webhook_endpoints').selectAll().orderBy('created_at', 'desc').limit(100).execute()
}

export async function removeEndpoint(db: Db<Tables>, id: string): Promise<void> {
  const removed = await db
    .deleteFrom('webhook_endpoints')
    .where(sql`id::text`, '=', id)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) {
    throw new Problem('webhook-endpoint-not-found', 'There is no webhook endpoint with this id.')
  }
}

export function endpointForm({ id, url, events, active, created_at }: WebhookEndpoint) {
  return { id, url, events, active, createdAt: created_at.toISOString() }
}

export interface DeliveryFilter extends PageQuery {
  status?: 'waiting' | 'delivered' | 'dead'
  endpointId?: string
}

export function listDeliveries(db: Db<Tables>, filter: DeliveryFilter): Promise<WebhookDelivery[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('webhook_deliveries').selectAll()
  if (filter.status) query = query.where('state', '=', filter.status)
  if (filter.endpointId) query = query.where(sql`endpoint_id::text`, '=', filter.endpointId)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter)).execute()
}

/** Makes a delivery due again from its first attempt. Throws `webhook-delivery-not-found`. */
export async function replay(db: Db<Tables>, id: string): Promise<WebhookDelivery> {
  const row = await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', attempts: 0, next_try_at: sql<Date>`now()`, delivered_at: null })
    .where(sql`id::text`, '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new Problem('webhook-delivery-not-found', 'There is no webhook delivery with this id.')
  return row
}

export function deliveryForm(row: WebhookDelivery) {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    messageId: row.message_id,
    event: row.event,
    status: row.state,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  }
}
