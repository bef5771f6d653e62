import { signStandard } from '@windlass/kyc-providers/webhook-signature.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { WebhookDelivery, WebhookEndpoint } from './table.ts'

/** Seconds until the next attempt; after the last it is a dead letter. In all about a day. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]

/** Sends events that are due to the developers' endpoints, signed as Standard Webhooks. */
export async function deliverWebhooks(deps: Deps): Promise<void> {
  const { rows } = await sql<WebhookDelivery & Pick<WebhookEndpoint, 'url' | 'secret'>>`
    update webhook_deliveries d set attempts = attempts + 1, next_try_at = now() + interval '60 seconds'
    from webhook_endpoints e
    where e.id = d.endpoint_id and d.id in (
      select id from webhook_deliveries where state = 'waiting' and next_try_at <= now()
      order by next_try_at limit 20 for update skip locked)
    returning d.*, e.url, e.secret`.execute(deps.database.db)
  await Promise.all(rows.map(row => deliver(deps, row)))
}

async function deliver(
  deps: Deps,
  row: WebhookDelivery & Pick<WebhookEndpoint, 'url' | 'secret'>,
): Promise<void> {
  const body = JSON.stringify(row.payload)
  const headers = {
    'content-type': 'application/json',
    ...signStandard(row.secret, row.message_id, body, deps.clock.now()),
  }
  try {
    const { status } = await deps.outbound.request(row.url, {
      method: 'POST',
      headers,
      body,
      timeout: 10_000,
    })
    if (status >= 200 && status < 300) await noteDelivered(deps, row.id, status)
    else await noteFailure(deps, row, status, `the endpoint answered ${status}`)
  } catch (error) {
    await noteFailure(deps, row, null, (error as Error).message)
  }
}

async function noteDelivered({ database }: Deps, id: string, status: number): Promise<void> {
  await database.db
    .updateTable('webhook_deliveries')
    .set({ state: 'delivered', last_status: status, last_error: null, delivered_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

async function noteFailure(
  { database }: Deps,
  row: WebhookDelivery,
  status: number | null,
  error: string,
): Promise<void> {
  const wait = BACKOFF_SECONDS[row.attempts - 1]
  await database.db
    .updateTable('webhook_deliveries')
    .set({
      state: wait === undefined ? 'dead' : 'waiting',
      last_status: status,
      last_error: error.slice(0, 300),
      next_try_at: sql<Date>`now() + ${wait ?? 0} * interval '1 second'`,
    })
    .where('id', '=', row.id)
    .execute()
}
