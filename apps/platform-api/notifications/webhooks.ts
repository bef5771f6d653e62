import type {
  AnchorNotificationKind,
  NotificationFormat,
  NotificationWebhook,
} from '@windlass/contracts/platform/notifications.ts'
import { enqueue, type OutboxMessage } from '@windlass/service/work/outbox.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import {
  newWebhookSecret,
  requireWebhookUrl,
  unknownEndpoint,
} from '@windlass/service/outbound/webhook-endpoints.ts'
import { sendUnsigned, sendWebhook } from '@windlass/service/outbound/send-webhook.ts'
import type { Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { NotificationWebhooksTable, PlatformDb } from '../tables.ts'
import type { Group, NotifiedAnchor } from './changes.ts'
import { slackMessage, slackTest } from './slack.ts'

export const NOTIFICATION_TOPIC = 'notification-webhook'

/** For one anchor. */
const MAX_WEBHOOKS = 10
/** About a day by the outbox's pauses. */
const MAX_ATTEMPTS = 160

const contextOf = (webhookId: string) => `notification-webhook:${webhookId}`

export const sealedWebhookSecrets: SealedColumn = {
  table: 'notification_webhooks',
  column: 'sealed_secret',
  key: ['id'],
  contextOf: ({ id = '' }) => contextOf(id),
}

type Row = Selectable<NotificationWebhooksTable>

const webhookForm = (row: Row): NotificationWebhook => ({
  id: row.id,
  url: row.url,
  format: row.format,
  kinds: [...row.kinds],
  createdAt: row.created_at.toISOString(),
  lastSentAt: row.last_sent_at?.toISOString() ?? null,
  lastError: row.last_error,
})

/** An anchor's webhooks, oldest first. */
export async function listWebhooks(db: PlatformDb, anchorId: string): Promise<NotificationWebhook[]> {
  return (await findWebhooks(db, anchorId)).map(webhookForm)
}

const findWebhooks = (db: PlatformDb, anchorId: string) =>
  db
    .selectFrom('notification_webhooks')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/**
 * Adds a webhook. By default it has a secret of its own (`whsec_…`), which is returned here only; Slack's form has none,
 * and its address is kept as one. The caller's transaction holds the anchor's lock. Throws `validation-failed` for an address that is not https (plain http is allowed locally), and if
 * the anchor has ten already.
 */
export async function addWebhook(
  { config, sealer, clock }: Pick<Deps, 'config' | 'sealer' | 'clock'>,
  tx: PlatformDb,
  anchorId: string,
  { url, kinds, format = 'standard' }: NewWebhook,
): Promise<NotificationWebhook & { secret: string }> {
  requireWebhookUrl(url, config.deployment.local)
  if ((await findWebhooks(tx, anchorId)).length >= MAX_WEBHOOKS)
    throw invalid('url', `cannot be added: an anchor can have at most ${MAX_WEBHOOKS} webhooks`)
  const secret = format === 'slack' ? '' : newWebhookSecret()
  const id = newId('hook')
  const row = await tx
    .insertInto('notification_webhooks')
    .values({
      ...{ id, kinds, format, anchor_id: anchorId },
      url: format === 'slack' ? hostOnly(url) : url,
      sealed_secret: sealer.seal(secret || url, contextOf(id)),
      created_at: clock.now(),
      last_sent_at: null,
      last_error: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...webhookForm(row), secret }
}

interface NewWebhook {
  url: string
  kinds: AnchorNotificationKind[]
  format?: NotificationFormat | undefined
}

const hostOnly = (url: string): string => `${new URL(url).origin}/…`

/** Removes a webhook; deliveries that wait for it are dropped. Throws `webhook-endpoint-not-found`. */
export async function removeWebhook(db: PlatformDb, anchorId: string, id: string): Promise<{ url: string }> {
  const row = await db
    .deleteFrom('notification_webhooks')
    .where('id', '=', id)
    .where('anchor_id', '=', anchorId)
    .returning('url')
    .executeTakeFirst()
  if (!row) throw unknownEndpoint()
  return row
}

/** Sends `notification.test`. Throws `webhook-endpoint-not-found`. */
export async function enqueueTest(
  { clock }: Pick<Deps, 'clock'>,
  tx: PlatformDb,
  anchor: NotifiedAnchor,
  id: string,
): Promise<void> {
  const row = (await findWebhooks(tx, anchor.id)).find(each => each.id === id)
  if (!row) throw unknownEndpoint()
  const data = { anchorId: anchor.id, homeDomain: anchor.homeDomain }
  if (row.format === 'slack') return enqueueDelivery(tx, row, newId('test'), slackTest(anchor.homeDomain))
  await enqueueDelivery(tx, row, newId('test'), { type: 'notification.test', ...at(clock.now()), data })
}

/** Enqueues each change for each webhook that subscribes to its kind. */
export async function enqueueWebhooks(
  tx: PlatformDb,
  now: Date,
  { id: anchorId, homeDomain }: NotifiedAnchor,
  groups: readonly Group[],
  linkOf: (row: Group['rows'][number]) => string,
): Promise<void> {
  const webhooks = await findWebhooks(tx, anchorId)
  for (const { kind, phase, rows } of groups) {
    for (const webhook of webhooks.filter(each => each.kinds.some(wanted => wanted === kind))) {
      for (const row of rows) {
        const { id, subject, detail, started_at, ended_at } = row
        if (webhook.format === 'slack') {
          const message = slackMessage({ homeDomain, kind, phase, detail, link: linkOf(row) })
          await enqueueDelivery(tx, webhook, `${id}:${phase}`, message)
          continue
        }
        const times = { startedAt: started_at.toISOString(), endedAt: ended_at?.toISOString() ?? null }
        const data = { id, anchorId, homeDomain, kind, subject, detail, ...times }
        const payload = { type: `notification.${phase}`, ...at(now), data }
        await enqueueDelivery(tx, webhook, `${id}:${phase}`, payload)
      }
    }
  }
}

const at = (now: Date) => ({ timestamp: now.toISOString() })

/** The lane keeps one slow host from holding up the others. */
async function enqueueDelivery(
  tx: PlatformDb,
  { id, url }: Row,
  key: string,
  payload: object,
): Promise<void> {
  const message = { webhookId: id, payload }
  await enqueue(tx, NOTIFICATION_TOPIC, `${key}:${id}`, message, undefined, new URL(url).host)
}

/** Delivers what was enqueued. Signed by Standard Webhooks, a repeat has the same `webhook-id`. */
export function deliverNotification(deps: Pick<Deps, 'database' | 'outbound' | 'sealer' | 'clock'>) {
  return async ({ key, payload: stored, attempt }: OutboxMessage): Promise<void> => {
    const { webhookId, payload } = stored as { webhookId: string; payload: object }
    const { db } = deps.database
    const row = await db
      .selectFrom('notification_webhooks')
      .selectAll()
      .where('id', '=', webhookId)
      .executeTakeFirst()
    if (!row) return
    const secret = () => deps.sealer.open(row.sealed_secret, contextOf(row.id))
    const body = JSON.stringify(payload)
    const { error } =
      row.format === 'slack'
        ? await sendUnsigned(deps.outbound, secret, body)
        : await sendWebhook(deps.outbound, {
            ...{ url: row.url, secret, body },
            messageId: `msg_${key}`,
            now: deps.clock.now(),
          })
    await db
      .updateTable('notification_webhooks')
      .set({ last_sent_at: deps.clock.now(), last_error: error })
      .where('id', '=', webhookId)
      .execute()
    if (error !== null && attempt < MAX_ATTEMPTS) throw new Error(error)
  }
}
