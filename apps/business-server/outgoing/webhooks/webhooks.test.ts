import type { WebhookEvent } from '@windlass/contracts/anchor/developer-api.ts'
import { OutboundError, type OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { createDeveloperSender, pruneWebhookDeliveries } from './deliver.ts'
import { addEndpoint, sealedEndpointSecrets } from './endpoints.ts'
import { publishEvent } from './publish.ts'
import { rotate } from '../../testing/newer-key.ts'

let app: BusinessApp
let answer: () => { status: number }
const sent: { url: string; init: OutboundRequest }[] = []
beforeAll(async () => {
  app = await startBusinessApp()
  app.deps.keys.verify = async () => ({
    anchorId: 'mumbai00000000000000',
    keyId: 'key_1',
    scopes: ['webhooks'],
  })
  app.deps.outbound = {
    request: async (url, init = {}) => {
      sent.push({ url, init })
      return { ...answer(), headers: {}, text: '' }
    },
    close: app.deps.outbound.close,
  }
})
afterAll(() => app.close())
beforeEach(async () => {
  sent.length = 0
  answer = () => ({ status: 204 })
  await query('delete from webhook_endpoints')
})

const query = async <T>(text: string): Promise<T[]> => (await app.deps.database.pool.query(text)).rows as T[]
/** A round, to its end. */
const deliverDue = async () => {
  const sender = createDeveloperSender(app.deps)
  await sender.round()
  await sender.idle()
}
const endpoint = async (events = ['*']) => {
  const added = await addEndpoint(app.deps, 'https://developer.example/hook', events, false)
  return { ...added.endpoint, secret: added.secret }
}
const publish = (event: WebhookEvent = 'transaction.completed') =>
  publishEvent(app.deps.database.db, event, { id: 't_1' })
const ask = async (path: string, method: 'GET' | 'POST' = 'GET') => {
  const answered = await app.server.app.inject({
    method,
    url: `/api/v1/webhook-deliveries${path}`,
    headers: { authorization: 'Bearer key' },
  })
  return { status: answered.statusCode, body: answered.json() }
}

describe('a developer’s webhook', () => {
  it('is signed as Standard Webhooks, over the bytes that are sent', async () => {
    const { secret, url } = await endpoint()
    await publish()
    await deliverDue()
    expect(sent).toHaveLength(1)
    const { url: to, init } = sent[0] ?? { url: '', init: {} }
    expect(to).toBe(url)
    expect(new Webhook(secret).verify(init.body ?? '', init.headers ?? {})).toMatchObject({
      type: 'transaction.completed',
      data: { id: 't_1' },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect((await ask('?status=delivered')).body).toHaveLength(1)
  })

  it('comes for the events that were asked for', async () => {
    await endpoint(['customer.status_changed'])
    await publish('transaction.completed')
    await publish('customer.status_changed')
    await deliverDue()
    expect(sent).toHaveLength(1)
  })

  it('is tried again after growing pauses for about a day, then lies with the dead letters and is replayed', async () => {
    await endpoint()
    await publish()
    answer = () => {
      if (sent.length % 2 === 0) throw new OutboundError('developer.example: did not answer in time')
      return { status: 500 }
    }
    const pauses: number[] = []
    for (let attempt = 1; ; attempt++) {
      await deliverDue()
      const [row] = await query<{ state: string; pause: number }>(
        'select state, extract(epoch from next_try_at - now())::int as pause from webhook_deliveries',
      )
      if (row?.state === 'dead') break
      pauses.push(row?.pause ?? 0)
      expect(sent).toHaveLength(attempt)
      // Before its time nothing is sent.
      await deliverDue()
      expect(sent).toHaveLength(attempt)
      await query('update webhook_deliveries set next_try_at = now()')
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
    const hours = pauses.reduce((total, each) => total + each, 0) / 3600
    expect(hours).toBeGreaterThan(20)
    expect(hours).toBeLessThan(30)

    const { body: dead } = await ask('?status=dead')
    expect(dead).toMatchObject([{ status: 'dead', attempts: 11, event: 'transaction.completed' }])
    expect((await ask('?status=waiting')).body).toEqual([])
    answer = () => ({ status: 200 })
    expect((await ask(`/${dead[0].id}/replay`, 'POST')).status).toBe(202)
    await deliverDue()
    const ids = new Set(sent.map(({ init }) => init.headers?.['webhook-id']))
    expect(ids.size).toBe(1)
    expect((await ask('?status=delivered')).body).toMatchObject([{ id: dead[0].id, lastStatus: 200 }])
    expect((await ask('/00000000-0000-4000-8000-000000000000/replay', 'POST')).status).toBe(404)
  })

  it('is kept for 30 days after it was delivered or given up, and while it waits', async () => {
    await endpoint()
    for (let event = 0; event < 5; event++) await publish()
    const ids = (await query<{ id: string }>('select id from webhook_deliveries')).map(({ id }) => id)
    const become = (index: number, change: string) =>
      query(`update webhook_deliveries set ${change} where id = '${ids[index]}'`)
    const old = `now() - interval '31 days'`
    const recent = `now() - interval '29 days'`
    await become(0, `state = 'delivered', delivered_at = ${old}`)
    await become(1, `state = 'delivered', delivered_at = ${recent}`)
    await become(2, `state = 'dead', next_try_at = ${old}`)
    await become(3, `state = 'dead', next_try_at = ${recent}`)
    await become(4, `created_at = ${old}, next_try_at = ${old}`)
    await pruneWebhookDeliveries(app.deps.database.db)
    const kept = (await query<{ id: string }>('select id from webhook_deliveries')).map(({ id }) => id)
    expect(kept.sort()).toEqual([ids[1], ids[3], ids[4]].sort())
  })

  it('is sent again at most a thousand times an hour', async () => {
    await endpoint()
    await publish()
    const [delivery] = await query<{ id: string }>('select id from webhook_deliveries')
    const again = () => ask(`/${delivery?.id}/replay`, 'POST')
    expect((await again()).status).toBe(202)
    await query("update rate_limits set points = 999 where key like 'webhook-replays:%'")
    expect((await again()).status).toBe(202)
    expect((await again()).body.code).toBe('too-many-requests')
    await query("delete from rate_limits where key like 'webhook-replays:%'")
  })

  it('has one of at most twenty endpoints, however many are added at once', async () => {
    const added = await Promise.allSettled(Array.from({ length: 25 }, () => endpoint()))
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    for (const each of added.filter(each => each.status === 'rejected'))
      expect(each.reason).toMatchObject({ status: 400, code: 'validation-failed' })
    expect(await query('select id from webhook_endpoints')).toHaveLength(20)
  })

  it('that cannot be reached says why in our words, not in those of its server', async () => {
    await endpoint()
    await publish()
    const cause = Object.assign(new Error('10.0.0.5 \u001b[31m'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    answer = () => {
      throw new OutboundError('hook: altnames: <b>10.0.0.5</b>', { cause })
    }
    await deliverDue()
    expect(await query('select last_error from webhook_deliveries')).toEqual([
      { last_error: 'the host’s certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)' },
    ])
  })

  it('is written with the change or not at all', async () => {
    await endpoint()
    const { db } = app.deps.database
    await expect(
      db.transaction().execute(async tx => {
        await publishEvent(tx, 'transaction.completed', { id: 't_2' })
        throw new Error('the change fails')
      }),
    ).rejects.toThrow('the change fails')
    await deliverDue()
    expect(sent).toEqual([])
  })

  it('has its secret encrypted, also where an earlier release did not', async () => {
    const { id, secret } = await endpoint()
    const url = app.deps.database.url
    expect(await findTexts(url, [secret.slice(6)])).toEqual([])
    // As it was written before.
    await query(`update webhook_endpoints set secret = '${secret}', sealed_secret = null where id = '${id}'`)
    await publish()
    await deliverDue()
    expect(await rotate(app.deps, sealedEndpointSecrets)).toBe(1)
    expect(await rotate(app.deps, sealedEndpointSecrets)).toBe(0)
    expect(await findTexts(url, [secret.slice(6)])).toEqual([])
    await publish()
    await deliverDue()
    expect(sent).toHaveLength(2)
    for (const { init } of sent) new Webhook(secret).verify(init.body ?? '', init.headers ?? {})
  })

  it('does not wait for endpoints that never answer', async () => {
    const { promise: never, resolve: giveUp } = Promise.withResolvers<void>()
    const { request } = app.deps.outbound
    onTestFinished(() => void (app.deps.outbound.request = request))
    app.deps.outbound.request = async (url, init = {}) => {
      sent.push({ url, init })
      if (url.includes('tarpit')) await never
      return { status: 204, headers: {}, text: '' }
    }
    const at = (host: string) => addEndpoint(app.deps, `https://${host}.example/hook`, ['*'], false)
    await Promise.all(Array.from({ length: 8 }, (_, index) => at(`tarpit-${index}`)))
    for (let event = 0; event < 10; event++) await publish()
    const sender = createDeveloperSender(app.deps)
    await sender.round()
    // Two of each, although eighty are due.
    expect(sent).toHaveLength(16)
    await at('honest')
    await publish()
    await sender.round()
    expect(sent.filter(({ url }) => url.includes('honest'))).toHaveLength(1)
    expect(sent).toHaveLength(17)
    giveUp()
    await sender.idle()
  })
})

describe('an operator in the console', () => {
  const manage = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, proven = true) => {
    const { secrets } = app.deps.config
    const headers = proven ? asPlatform(secrets) : { 'x-service-secret': secrets.summary }
    const request = { method, url: `/admin/${path}`, headers, ...(payload ? { payload } : {}) }
    const answered = await app.server.app.inject(request)
    return { status: answered.statusCode, body: answered.body ? answered.json() : undefined }
  }

  it('adds, tests and removes endpoints, and replays what was not delivered', async () => {
    const url = 'https://operator.example/hook'
    const added = await manage('POST', 'webhook-endpoints', { url, events: ['transaction.completed'] })
    expect(added).toMatchObject({ status: 201, body: { url, secret: expect.stringMatching(/^whsec_/) } })
    const { id, secret } = added.body
    const listed = await manage('GET', 'webhook-endpoints', undefined, false)
    expect(listed.body).toMatchObject([{ id, url }])
    expect(JSON.stringify(listed.body)).not.toContain(secret)

    answer = () => ({ status: 500 })
    const test = await manage('POST', `webhook-endpoints/${id}/test`)
    expect(test).toMatchObject({ status: 202, body: { event: 'webhook.test', status: 'waiting' } })
    await deliverDue()
    const { init } = sent[0] ?? {}
    expect(new Webhook(secret).verify(init?.body ?? '', init?.headers ?? {})).toMatchObject({
      type: 'webhook.test',
    })
    await query(`update webhook_deliveries set state = 'dead'`)
    answer = () => ({ status: 204 })
    expect((await manage('POST', `webhook-deliveries/${test.body.id}/replay`)).status).toBe(202)
    await deliverDue()
    expect((await ask('?status=delivered')).body).toMatchObject([{ id: test.body.id }])

    expect((await manage('DELETE', `webhook-endpoints/${id}`)).status).toBe(204)
    for (const path of [`webhook-endpoints/${id}/test`, `webhook-deliveries/${test.body.id}/replay`])
      expect((await manage('POST', path)).status).toBe(404)
  })

  it('changes nothing with the summary secret alone', async () => {
    const { id } = await endpoint()
    const body = { url: 'https://thief.example/hook' }
    expect((await manage('POST', 'webhook-endpoints', body, false)).status).toBe(401)
    expect((await manage('POST', `webhook-endpoints/${id}/test`, {}, false)).status).toBe(401)
    expect((await manage('DELETE', `webhook-endpoints/${id}`, undefined, false)).status).toBe(401)
    expect(await query('select id from webhook_endpoints')).toHaveLength(1)
  })
})
