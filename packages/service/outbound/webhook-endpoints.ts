import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { randomBytes } from 'node:crypto'
import { pageSize, pageStart, type PageQuery } from '../http/pages.ts'
import { invalid, Problem } from '../http/problem.ts'
import type { DeliveryTable } from './webhook-sender.ts'

/** Throws `validation-failed` for an address that is not https (plain http is allowed locally), or has credentials. */
export function requireWebhookUrl(url: string, plainHttp: boolean): void {
  const { protocol, username, password } = URL.parse(url) ?? {}
  if (protocol !== 'https:' && !(plainHttp && protocol === 'http:'))
    throw invalid('url', 'must be an https address')
  if (username || password) throw invalid('url', 'must not contain credentials')
}

/** `whsec_…` (Standard Webhooks), of 256 random bits. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const unknownEndpoint = (): Problem =>
  new Problem('webhook-endpoint-not-found', 'There is no webhook endpoint with this id.')

type DeliveryRow = Selectable<DeliveryTable>

interface DeliveryFilter extends PageQuery {
  status?: DeliveryRow['state']
  endpointId?: string
}

/** Rows of deliveries as developers list and replay them. */
interface Deliveries<Tables> {
  db: Kysely<Tables>
  /** With the columns of a {@link DeliveryTable}. */
  table: string
  /** Those that the caller may see. */
  whose?: RawBuilder<boolean>
}

/** A page of deliveries, newest first. */
export async function listDeliveries<Row extends DeliveryRow, Tables>(
  { db, table, whose = sql`true` }: Deliveries<Tables>,
  { status, endpointId, ...page }: DeliveryFilter,
): Promise<Row[]> {
  const start = pageStart(page)
  const after = start ? sql`(created_at, id::text) < (${start.createdAt}, ${start.id})` : sql`true`
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)}
    where ${whose} and ${after}
      and ${status === undefined ? sql`true` : sql`state = ${status}`}
      and ${endpointId === undefined ? sql`true` : sql`endpoint_id::text = ${endpointId}`}
    order by created_at desc, id::text desc limit ${pageSize(page)}`.execute(db)
  return rows
}

/** Makes a delivery due again from its first attempt. Throws `webhook-delivery-not-found`. */
export async function replayDelivery<Row extends DeliveryRow, Tables>(
  { db, table, whose = sql`true` }: Deliveries<Tables>,
  id: string,
): Promise<Row> {
  const { rows } = await sql<Row>`
    update ${sql.table(table)}
    set state = 'waiting', attempts = 0, next_try_at = now(), delivered_at = null
    where ${whose} and id::text = ${id} returning *`.execute(db)
  if (!rows[0]) throw new Problem('webhook-delivery-not-found', 'There is no webhook delivery with this id.')
  return rows[0]
}

export const deliveryForm = (row: DeliveryRow) => ({
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
})
