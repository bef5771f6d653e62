import type { WalletEvent, WalletWebhook } from '@windlass/contracts/aggregator/wallet-webhooks.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { PageQuery } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import {
  listDeliveries as listRows,
  newWebhookSecret,
  replayDelivery,
  requireWebhookUrl,
  unknownEndpoint,
} from '@windlass/service/outbound/webhook-endpoints.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Tables, WalletDeliveryRow, WalletWebhookRow } from '../tables.ts'
import type { WebhookDeps } from './deps.ts'

const MOST = 5
const contextOf = (id: string) => `wallet-webhook:${id}`

export const sealedEndpointSecrets: SealedColumn = {
  table: 'webhook_endpoints',
  column: 'sealed_secret',
  key: ['id'],
  contextOf: ({ id = '' }) => contextOf(id),
}

export const openSecret = ({ config }: WebhookDeps, { id, sealed_secret }: WalletWebhookRow): string =>
  config.sealer.open(sealed_secret, contextOf(id))

export const webhookForm = ({ id, url, events, created_at }: WalletWebhookRow): WalletWebhook => ({
  id,
  url,
  events,
  createdAt: created_at.toISOString(),
})

/** Throws `validation-failed` for an address that is not https (or http on a developer's machine), and for the sixth. */
export async function addEndpoint(
  { config, database }: WebhookDeps,
  keyId: string,
  url: string,
  events: string[],
) {
  requireWebhookUrl(url, config.local)
  const id = randomUUID()
  const secret = newWebhookSecret()
  const row = await database.db.transaction().execute(async tx => {
    // One at a time for a key.
    await tx.selectFrom('wallet_keys').select('id').where('id', '=', keyId).forUpdate().execute()
    if ((await listEndpoints(tx, keyId)).length >= MOST)
      throw invalid('url', `is one too many: a key has at most ${MOST} webhook endpoints`)
    return tx
      .insertInto('webhook_endpoints')
      .values({ id, key_id: keyId, url, events, sealed_secret: config.sealer.seal(secret, contextOf(id)) })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { ...webhookForm(row), secret }
}

export const listEndpoints = (db: Db<Tables>, keyId: string): Promise<WalletWebhookRow[]> =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('key_id', '=', keyId)
    .orderBy('created_at', 'desc')
    .execute()

export async function removeEndpoint(db: Db<Tables>, keyId: string, id: string): Promise<void> {
  const removed = await db
    .deleteFrom('webhook_endpoints')
    .where('key_id', '=', keyId)
    .where(sql`id::text`, '=', id)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw unknownEndpoint()
}

/** Queues an event for the endpoints of a key, or of all keys, that ask for it; a message that is known is dropped. */
export async function publishEvent(
  db: Db<Tables>,
  event: WalletEvent,
  { messageId, keyId, data, now }: { messageId: string; keyId?: string; data: object; now: Date },
): Promise<void> {
  const payload = JSON.stringify({ type: event, timestamp: now.toISOString(), data })
  await sql`
    insert into webhook_deliveries (endpoint_id, message_id, event, payload)
    select id, ${messageId}, ${event}, ${payload} from webhook_endpoints
    where ${keyId === undefined ? sql`true` : sql`key_id = ${keyId}`}
      and (events @> array['*'] or events @> array[${event}])
    on conflict (endpoint_id, message_id) do nothing`.execute(db)
}

/** Deliveries of one key that wait, and those that are kept: anyone can register an anchor and send callbacks. */
const MOST_WAITING = 10_000
const MOST_KEPT = 10_000
const LATER_SECONDS = 600

/** Throws `too-many-requests` while too many deliveries wait for the key's endpoints. */
export async function requireRoom(db: Db<Tables>, keyId: string, most = MOST_WAITING): Promise<void> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (
      select 1 from webhook_deliveries where state = 'waiting' and ${ofKey(keyId)} limit ${most}) as counted`.execute(
    db,
  )
  if ((rows[0]?.waiting ?? 0) < most) return
  throw new Problem('too-many-requests', 'Too many deliveries wait for the webhooks of this key.', {
    headers: { 'retry-after': String(LATER_SECONDS) },
  })
}

/** Deletes deliveries of a month ago, and of each key all but the newest that do not wait. */
export async function pruneDeliveries(db: Db<Tables>, kept = MOST_KEPT): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('created_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
  await sql`
    delete from webhook_deliveries where id in (
      select id from (
        select d.id, row_number() over (partition by e.key_id order by d.created_at desc, d.id) as place
        from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
        where d.state <> 'waiting') as ranked
      where place > ${kept})`.execute(db)
}

const ofKey = (keyId: string) =>
  sql<boolean>`endpoint_id in (select id from webhook_endpoints where key_id = ${keyId})`

const deliveriesOf = (db: Db<Tables>, keyId: string) => ({
  ...{ db, table: 'webhook_deliveries', whose: ofKey(keyId) },
})

export const listDeliveries = (
  db: Db<Tables>,
  keyId: string,
  filter: PageQuery & { status?: WalletDeliveryRow['state'] },
): Promise<WalletDeliveryRow[]> => listRows(deliveriesOf(db, keyId), filter)

/** Makes a delivery due again from its first attempt. Throws `webhook-delivery-not-found`. */
export const replay = (db: Db<Tables>, keyId: string, id: string): Promise<WalletDeliveryRow> =>
  replayDelivery(deliveriesOf(db, keyId), id)
