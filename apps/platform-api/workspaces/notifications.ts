import { seesCompliance } from '@windlass/contracts/access.ts'
import * as contracts from '@windlass/contracts/platform/notifications.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager, requireMember } from '../anchors/access.ts'
import { lockAnchor, notifiedAnchor } from '../anchors/anchors.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { getPreferences, setPreferences } from '../notifications/notify.ts'
import { listNotificationPage } from '../notifications/record.ts'
import { addWebhook, enqueueTest, listWebhooks, removeWebhook } from '../notifications/webhooks.ts'

/** What an organization is notified of: the list, each person's emails, and the webhooks. */
export function notificationRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(contracts.listNotifications).serve(async ({ params, query, principal, request, reply }) => {
    const { role } = await requireMember(db, principal.userId, params.anchorId)
    const page = {
      open: query.open === true,
      closed: seesCompliance(role),
      start: pageStart(query),
      limit: pageSize(query),
    }
    const found = await listNotificationPage(db, params.anchorId, page)
    linkNext(request, reply, query, found)
    return found.map(({ notification }) => notification)
  })
  on(contracts.getNotificationPreferences).serve(async ({ params: { anchorId }, principal: { userId } }) => {
    const { role } = await requireMember(db, userId, anchorId)
    return { email: await getPreferences(db, { anchorId, userId, role }) }
  })
  on(contracts.setNotificationPreferences).serve(async ({ params, body, principal }) => {
    await setPreferences(db, params.anchorId, principal.userId, body.email)
    return body
  })
  webhookRoutes(on, deps)
}

function webhookRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  // Each is tried again for a day, at an address that need not be the operator's.
  const tests = createRate(pool, 'notification-tests', 10 * deps.config.rateFactor, 300)
  const audited = (userId: string, anchorId: string, action: string, url: string) => ({
    actor: `operator:${userId}`,
    action,
    subject: `anchor:${anchorId}`,
    details: { host: new URL(url).host },
  })
  on(contracts.listNotificationWebhooks).serve(async ({ params, principal }) => {
    await requireMember(db, principal.userId, params.anchorId)
    return listWebhooks(db, params.anchorId)
  })
  on(contracts.createNotificationWebhook).serve(async ({ params: { anchorId }, body, principal }) => {
    return db.transaction().execute(async tx => {
      await lockAnchor(tx, anchorId)
      const added = await addWebhook(deps, tx, anchorId, body)
      const act = audited(principal.userId, anchorId, 'notification-webhook.added', added.url)
      await record(tx, act, deps.clock.now())
      return added
    })
  })
  on(contracts.deleteNotificationWebhook).serve(async ({ params: { anchorId, id }, principal }) => {
    await db.transaction().execute(async tx => {
      const { url } = await removeWebhook(tx, anchorId, id)
      const act = audited(principal.userId, anchorId, 'notification-webhook.removed', url)
      await record(tx, act, deps.clock.now())
    })
    return { ok: true }
  })
  on(contracts.testNotificationWebhook).serve(async ({ params: { anchorId, id }, principal }) => {
    const { anchor } = await requireManager(db, principal.userId, anchorId)
    await tests.demand(anchorId)
    await db.transaction().execute(tx => enqueueTest(deps, tx, notifiedAnchor(anchor), id))
    return { ok: true }
  })
}
