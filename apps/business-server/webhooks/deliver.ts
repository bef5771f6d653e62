import { sendWebhook, webhookPause } from '@windlass/service/send-webhook.ts'
import { claimDue } from '@windlass/service/claim-due.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { openSecret } from './endpoints.ts'
import type { Tables, WebhookDelivery, WebhookEndpoint } from '../tables.ts'

/** Deliveries under way: of all endpoints, and of one. Most of the time they wait for a server outside. */
const AT_ONCE = 50
const AT_ONCE_PER_ENDPOINT = 2

/** Sends events that are due to the developers' endpoints, signed by Standard Webhooks. */
interface WebhookSender {
  /** Starts what is due. A slow endpoint holds up its own deliveries only. */
  round(): Promise<void>
  /** Waits for those under way. */
  idle(): Promise<void>
}

/** For the due work. */
export const webhooksDueAt = sql<Date | null>`
  select min(next_try_at) from webhook_deliveries where state = 'waiting'`

export function createWebhookSender(deps: Deps): WebhookSender {
  const { db } = deps.database
  const underWay = new Map<Promise<void>, string>()
  const send = (row: WebhookDelivery, endpoint: WebhookEndpoint): void => {
    const delivery = deliver(deps, row, endpoint)
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'a webhook delivery cannot be recorded'))
      .finally(() => underWay.delete(delivery))
    underWay.set(delivery, endpoint.id)
  }
  return {
    round: async () => {
      const endpoints = [...underWay.values()]
      const full = endpoints.filter(
        id => endpoints.filter(each => each === id).length >= AT_ONCE_PER_ENDPOINT,
      )
      for (const [row, endpoint] of await claim(db, AT_ONCE - underWay.size, full)) send(row, endpoint)
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay.keys())
    },
  }
}

/** What is due for other endpoints than `full`, of each at most as many as may be under way. */
async function claim(
  db: Db<Tables>,
  limit: number,
  full: readonly string[],
): Promise<[WebhookDelivery, WebhookEndpoint][]> {
  if (limit <= 0) return []
  const due = await claimDue<WebhookDelivery, Tables>(db, {
    table: 'webhook_deliveries',
    dueAt: 'next_try_at',
    leaseSeconds: 60,
    limit,
    where: sql`state = 'waiting' and endpoint_id <> all(${full}::uuid[]) and id in (
      select id from (
        select id, row_number() over (partition by endpoint_id order by next_try_at, id) as place
        from webhook_deliveries where state = 'waiting' and next_try_at <= now()) as ranked
      where place <= ${AT_ONCE_PER_ENDPOINT})`,
    set: sql`attempts = attempts + 1`,
  })
  if (due.length === 0) return []
  const ids = due.map(({ endpoint_id }) => endpoint_id)
  const endpoints = await db.selectFrom('webhook_endpoints').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
  // Of one that was deleted since, the deliveries are deleted with it.
  return due.flatMap(row => {
    const endpoint = byId.get(row.endpoint_id)
    return endpoint ? [[row, endpoint] as [WebhookDelivery, WebhookEndpoint]] : []
  })
}

async function deliver(deps: Deps, row: WebhookDelivery, endpoint: WebhookEndpoint): Promise<void> {
  const { status, error } = await sendWebhook(deps.outbound, {
    url: endpoint.url,
    secret: openSecret(deps.sealer, endpoint),
    messageId: row.message_id,
    body: JSON.stringify(row.payload),
    now: deps.clock.now(),
  })
  if (error === null) await noteDelivered(deps, row.id, status)
  else await noteFailure(deps, row, status, error)
}

async function noteDelivered({ database }: Deps, id: string, status: number | null): Promise<void> {
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
  const pause = webhookPause(row.attempts)
  await database.db
    .updateTable('webhook_deliveries')
    .set({
      state: pause === null ? 'dead' : 'waiting',
      last_status: status,
      last_error: error,
      next_try_at: sql<Date>`now() + ${pause ?? 0} * interval '1 second'`,
    })
    .where('id', '=', row.id)
    .execute()
}

/** Removes deliveries that succeeded more than 30 days ago. */
export async function pruneWebhookDeliveries(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('state', '=', 'delivered')
    .where('delivered_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
}
