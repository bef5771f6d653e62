import { claimDue } from '@windlass/service/claim-due.ts'
import { sendWebhook, webhookPause } from '@windlass/service/send-webhook.ts'
import { sql } from 'kysely'
import type { Tables, WalletDeliveryRow, WalletWebhookRow } from '../tables.ts'
import type { WebhookDeps } from './deps.ts'
import { openSecret } from './endpoints.ts'

/** In one round: of all endpoints, and of one, so that a slow one holds up few others. */
const AT_ONCE = 50
const AT_ONCE_PER_ENDPOINT = 2

/** Sends what is due. Returns how many deliveries that were. */
export async function deliverDue(deps: WebhookDeps): Promise<number> {
  const { db } = deps.database
  const due = await claimDue<WalletDeliveryRow, Tables>(db, {
    table: 'webhook_deliveries',
    dueAt: 'next_try_at',
    leaseSeconds: 60,
    limit: AT_ONCE,
    where: sql`state = 'waiting' and id in (
      select id from (
        select id, row_number() over (partition by endpoint_id order by next_try_at, id) as place
        from webhook_deliveries where state = 'waiting' and next_try_at <= now()) as ranked
      where place <= ${AT_ONCE_PER_ENDPOINT})`,
    set: sql`attempts = attempts + 1`,
  })
  if (due.length === 0) return 0
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where(
      'id',
      'in',
      due.map(({ endpoint_id }) => endpoint_id),
    )
    .execute()
  const byId = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
  await Promise.all(
    due.map(row => {
      const endpoint = byId.get(row.endpoint_id)
      // With an endpoint its deliveries are deleted.
      return endpoint && deliver(deps, row, endpoint)
    }),
  )
  return due.length
}

async function deliver(deps: WebhookDeps, row: WalletDeliveryRow, endpoint: WalletWebhookRow): Promise<void> {
  const { status, error } = await sendWebhook(deps.outbound, {
    url: endpoint.url,
    secret: openSecret(deps, endpoint),
    messageId: row.message_id,
    body: row.payload,
    now: deps.clock.now(),
  })
  if (error === null) await noteDelivered(deps, row.id, status)
  else await noteFailure(deps, row, status, error)
}

async function noteDelivered({ database }: WebhookDeps, id: string, status: number | null): Promise<void> {
  await database.db
    .updateTable('webhook_deliveries')
    .set({ state: 'delivered', last_status: status, last_error: null, delivered_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

async function noteFailure(
  { database }: WebhookDeps,
  { id, attempts }: WalletDeliveryRow,
  last_status: number | null,
  last_error: string,
): Promise<void> {
  const pause = webhookPause(attempts)
  await database.db
    .updateTable('webhook_deliveries')
    .set({
      state: pause === null ? 'dead' : 'waiting',
      last_status,
      last_error,
      next_try_at: sql<Date>`now() + ${pause ?? 0} * interval '1 second'`,
    })
    .where('id', '=', id)
    .execute()
}
