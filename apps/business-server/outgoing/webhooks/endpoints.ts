import { webhookEvents } from '@windlass/contracts/anchor/developer-api.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import {
  listDeliveries as listRows,
  newWebhookSecret,
  replayDelivery,
  requireWebhookUrl,
  unknownEndpoint,
} from '@windlass/service/outbound/webhook-endpoints.ts'
import { sql } from 'kysely'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { rowsOf } from '@windlass/service/postgres/scalars.ts'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Tables, WebhookDelivery, WebhookEndpoint } from '../../tables.ts'

const contextOf = (endpointId: string) => `webhook-endpoint:${endpointId}`

export const sealedEndpointSecrets = sealedColumn({
  ...{ table: 'webhook_endpoints', column: 'sealed_secret', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: { columns: { secret: 'null' }, textOf: ({ secret }) => secret ?? '' },
})

/** The endpoint's secret (`whsec_…`). Throws where the key does not fit. */
export const openSecret = (
  sealer: Sealer,
  { id, sealed_secret, secret }: Pick<WebhookEndpoint, 'id' | 'sealed_secret' | 'secret'>,
): string => (sealed_secret ? sealer.open(sealed_secret, contextOf(id)) : (secret ?? ''))

const MAX_ENDPOINTS = 20

/**
 * Adds an endpoint with a secret of its own, which is returned here only. Throws `validation-failed` for what is no web
 * address, or plain http outside development, for an event that there is not, and if there are twenty endpoints.
 */
export async function addEndpoint(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  url: string,
  events: string[],
  plainHttp: boolean,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  requireWebhookUrl(url, plainHttp)
  const unknown = events.find(event => event !== '*' && !(webhookEvents as readonly string[]).includes(event))
  if (unknown !== undefined) throw invalid('events', `must be of ${webhookEvents.join(', ')}; not ${unknown}`)
  const secret = newWebhookSecret()
  const id = randomUUID()
  const endpoint = await database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('webhook-endpoints', 0))`.execute(tx)
    const existing = await tx.selectFrom('webhook_endpoints').select('id').limit(MAX_ENDPOINTS).execute()
    if (existing.length >= MAX_ENDPOINTS)
      throw invalid('url', `cannot be added: an anchor can have at most ${MAX_ENDPOINTS} webhook endpoints`)
    return tx
      .insertInto('webhook_endpoints')
      .values({ id, url, events, sealed_secret: sealer.seal(secret, contextOf(id)) })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { endpoint, secret }
}

/** A page of the endpoints, newest first. */
export function listEndpoints(db: Db<Tables>, page: PageQuery): Promise<WebhookEndpoint[]> {
  const start = pageStart(page)
  // A cursor holds milliseconds; these times are finer.
  const created = sql<Date>`date_trunc('milliseconds', created_at)`
  let query = db.selectFrom('webhook_endpoints').selectAll()
  if (start) query = query.where(sql<boolean>`(${created}, id::text) < (${start.createdAt}, ${start.id})`)
  return query.orderBy(created, 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

export async function removeEndpoint(db: Db<Tables>, id: string): Promise<void> {
  const removed = await db
    .deleteFrom('webhook_endpoints')
    .where(sql`id::text`, '=', id)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) {
    throw unknownEndpoint()
  }
}

export function endpointForm({ id, url, events, active, created_at }: WebhookEndpoint) {
  return { id, url, events, active, createdAt: created_at.toISOString() }
}

/** Attempts of a delivery after which its endpoint counts as failing: about ten minutes. */
const FAILING_ATTEMPTS = 4

/** Endpoints whose deliveries have failed for a while, and none has succeeded since. */
export const failingEndpoints = rowsOf<{ id: string; url: string; error: string | null }>(sql`
    select e.id, e.url, failed.last_error as error from webhook_endpoints e
    cross join lateral (
      select d.last_error, d.created_at from webhook_deliveries d
      where d.endpoint_id = e.id
        and (d.state = 'dead' or (d.state = 'waiting' and d.attempts >= ${FAILING_ATTEMPTS}))
      order by d.created_at desc limit 1) as failed
    where e.active and not exists (
      select from webhook_deliveries d
      where d.endpoint_id = e.id and d.delivered_at > failed.created_at)
    order by e.created_at limit 100`)

const deliveriesIn = (db: Db<Tables>) => ({ db, table: 'webhook_deliveries' })

export const listDeliveries = (
  db: Db<Tables>,
  filter: Parameters<typeof listRows>[1],
): Promise<WebhookDelivery[]> => listRows(deliveriesIn(db), filter)

/** Queues a message that says it is a test, whatever the endpoint subscribes to. Throws `webhook-endpoint-not-found`. */
export async function enqueueTest(db: Db<Tables>, endpointId: string, now: Date): Promise<WebhookDelivery> {
  const endpoint = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where(sql`id::text`, '=', endpointId)
    .executeTakeFirst()
  if (!endpoint) throw unknownEndpoint()
  const payload = { type: TEST_EVENT, timestamp: now.toISOString(), data: {} }
  return db
    .insertInto('webhook_deliveries')
    .values({
      endpoint_id: endpoint.id,
      message_id: `msg_${randomUUID()}`,
      event: TEST_EVENT,
      payload: JSON.stringify(payload),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const TEST_EVENT = 'webhook.test'

/** Makes a delivery due again from its first attempt. Throws `webhook-delivery-not-found`. */
export const replay = (db: Db<Tables>, id: string): Promise<WebhookDelivery> =>
  replayDelivery(deliveriesIn(db), id)
