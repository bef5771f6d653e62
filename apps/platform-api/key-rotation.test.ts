import { adminSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import * as contracts from '@windlass/contracts/platform/notifications.ts'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { summarySecretContext } from './anchors/registry.ts'
import { sealName } from './kyc/verified-name.ts'
import { deliverNotification } from './notifications/webhooks.ts'
import { startOutbox } from '@windlass/service/work/outbox.ts'
import { rotatePlatformKey } from './start.ts'
import { activeAnchor } from './testing/anchors.ts'
import { signInAdmin, testApp, type TestApp } from './testing/app.ts'
import { signInCustomer, signInOperator } from './testing/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

it('lets an older PLATFORM_KEY be removed', async () => {
  const owner = await signInOperator(app, 'owner@rotate.example')
  const anchor = await activeAnchor(app, owner.user.id, 'rotate')
  const params = { anchorId: anchor.id }
  const body = { url: 'https://hooks.example/in', kinds: ['treasury-low' as const] }
  const { id, secret } = await owner.call(contracts.createNotificationWebhook, { params, body })
  await app.database.pool.query('update anchors set summary_secret = $1 where id = $2', [
    app.deps.sealer.seal('a summary secret', summarySecretContext(anchor.id)),
    anchor.id,
  ])
  const customer = await signInCustomer(app, 'named@rotate.example')
  await app.database.pool.query(
    `insert into kyc_records (customer_id, status, completed_at, updated_at, sealed_name)
     values ($1, 'ACCEPTED', now(), now(), $2)`,
    [customer.user.id, sealName(app.deps.sealer, customer.user.id, 'Boris Badov')],
  )
  const admin = await signInAdmin(app)
  await admin.call(adminSecondFactors.startApp)

  const newer = new Map([[2, Buffer.alloc(32, 2)]])
  const keyring = new Map([...newer, ...app.config.keyring])
  await rotatePlatformKey({ ...app.deps, config: { ...app.config, keyring } })
  const without = { ...app.deps, config: { ...app.config, keyring: newer } }
  await rotatePlatformKey(without)
  await expect(rotatePlatformKey(app.deps)).rejects.toThrow('PLATFORM_KEY lacks v2')

  const { rows } = await app.database.pool.query(
    `select get_byte(secret, 0) as app,
       (select get_byte(summary_secret, 0) from anchors) as anchor,
       (select get_byte(sealed_name, 0) from kyc_records) as name,
       (select get_byte(sealed_secret, 0) from notification_webhooks) as webhook from authenticator_apps`,
  )
  expect(rows).toEqual([{ app: 2, anchor: 2, name: 2, webhook: 2 }])

  const sent: OutboundRequest[] = []
  const outbound = {
    request: async (_: string, init: OutboundRequest = {}) => {
      sent.push(init)
      return { status: 204, headers: {}, text: '' }
    },
    close: async () => undefined,
  }
  await owner.call(contracts.testNotificationWebhook, { params: { ...params, id } })
  const sealer = createSealer(newer)
  const outbox = startOutbox({
    database: app.database,
    logger: app.deps.logger,
    sealer,
    deliver: { 'notification-webhook': deliverNotification({ ...app.deps, outbound, sealer }) },
  })
  await outbox.drain()
  await outbox.stop()
  const [{ body: given = '', headers = {} } = {}] = sent
  expect(new Webhook(secret).verify(given, headers)).toMatchObject({ type: 'notification.test' })
})
