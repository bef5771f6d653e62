import { claimDue } from '@windlass/service/claim-due.ts'
import { describeOutboundFailure } from '@windlass/service/outbound.ts'
import { signWebhook } from '@windlass/service/webhooks.ts'
import { sql } from 'kysely'
import type { Tables, WalletDeliveryRow, WalletWebhookRow } from '../tables.ts'
import type { WebhookDeps } from './deps.ts'
import { openSecret } from './endpoints.ts'

/** Seconds until the next attempt; after the last the delivery is dead. About a day in all. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]

/** In one round: of all endpoints, and of one, so that a slow one holds up few others. */
const AT_ONCE = 50
const AT_ONCE_PER_ENDPOINT = 2
const TIMEOUT_MS = 10_000

/** Sends what is due, signed by Standard Webhooks; how much there was. */
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
  const { message_id, payload: body } = row
  const headers = {
    'content-type': 'application/json',
    ...signWebhook(openSecret(deps, endpoint), message_id, body, deps.clock.now()),
  }
  try {
    const { status } = await deps.outbound.request(endpoint.url, {
      method: 'POST',
      headers,
      body,
      timeout: TIMEOUT_MS,
    })
    if (status >= 200 && status < 300) await noteDelivered(deps, row.id, status)
    else await noteFailure(deps, row, status, `the endpoint answered ${status}`)
  } catch (error) {
    await noteFailure(deps, row, null, describeOutboundFailure(error))
  }
}

async function noteDelivered({ database }: WebhookDeps, id: string, status: number): Promise<void> {
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
  const wait = BACKOFF_SECONDS[attempts - 1]
  await database.db
    .updateTable('webhook_deliveries')
    .set({
      state: wait === undefined ? 'dead' : 'waiting',
      last_status,
      last_error,
      next_try_at: sql<Date>`now() + ${wait ?? 0} * interval '1 second'`,
    })
    .where('id', '=', id)
    .execute()
}
