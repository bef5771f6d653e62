import { Keypair } from '@stellar/stellar-sdk/base'
import { Webhook } from 'standardwebhooks'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import { createSealer, parseKeyring } from '@windlass/service/seals/seal.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '@windlass/testing/database.ts'
import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { ownMigrations } from '../start.ts'
import type { Tables } from '../tables.ts'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { waitUntil } from '../testing/wait-until.ts'
import { reportAvailability } from './availability.ts'
import { createWalletSender } from './deliver.ts'
import { pruneDeliveries } from './endpoints.ts'

let aggregator: TestAggregator
let status = 204
const sent: { url: string; init: OutboundRequest }[] = []
const signing = Keypair.random()
let anchorId = ''
beforeAll(async () => {
  aggregator = await testAggregator()
  const { deps } = aggregator
  deps.outbound = {
    request: async (url, init = {}) => {
      sent.push({ url, init })
      return { status, headers: {}, text: '' }
    },
    close: deps.outbound.close,
  }
  anchorId = await aggregator.register({ signingKey: signing.publicKey() })
})
afterAll(() => aggregator.drop())
beforeEach(async () => {
  sent.length = 0
  status = 204
  await query('delete from wallet_keys')
})

const query = async <T>(text: string, values: unknown[] = []) =>
  (await aggregator.deps.database.pool.query(text, values)).rows as T[]

async function newKey() {
  const made = await aggregator.post('/wallet-keys', { name: 'Pocket' })
  expect(made.status).toBe(201)
  const headers = { authorization: `Bearer ${made.body.key}` }
  const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const answer = await aggregator.server.app.inject({
      method,
      url,
      headers,
      ...(payload ? { payload } : {}),
    })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
  const hook = async (events?: string[], url = 'https://wallet.example/hook') => {
    const answer = await send('POST', '/webhook-endpoints', { url, ...(events ? { events } : {}) })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body as { id: string; secret: string }
  }
  return { ...made.body, send, hook } as {
    callbackUrl: string
    key: string
    send: typeof send
    hook: typeof hook
  }
}

/** The aggregator's own worker sends too: waits for what it and this sent together. */
const delivered = async (count: number) => {
  await createWalletSender(aggregator.deps).round()
  await until(`${count} deliveries`, async () => sent.length >= count)
  expect(sent).toHaveLength(count)
}

const until = (what: string, holds: () => boolean | Promise<boolean>) => waitUntil(what, holds, 30_000)

interface Callback {
  body?: string
  signer?: Keypair
  time?: number
  host?: string
  anchor?: string
}

/** As an anchor posts it. */
async function call(callbackUrl: string, { body = transaction(), signer = signing, ...more }: Callback = {}) {
  const { time = Math.floor(Date.now() / 1000), host = new URL(callbackUrl).host, anchor = anchorId } = more
  const signature = Buffer.from(signer.sign(Buffer.from(`${time}.${host}.${body}`))).toString('base64')
  const answer = await aggregator.server.app.inject({
    method: 'POST',
    url: new URL(callbackUrl).pathname + anchor,
    headers: { 'content-type': 'application/json', signature: `t=${time}, s=${signature}` },
    payload: body,
  })
  return answer.statusCode
}

const transaction = (status = 'completed') => JSON.stringify({ transaction: { id: 't1', status } })

describe('a wallet’s webhook', () => {
  it('gets what an anchor posts of a transaction and of a customer, signed by Standard Webhooks, once', async () => {
    const { callbackUrl, hook, send } = await newKey()
    const { secret } = await hook()
    const time = Math.floor(Date.now() / 1000)
    expect(await call(callbackUrl, { time })).toBe(204)
    expect(await call(callbackUrl, { time })).toBe(204)
    expect(await call(callbackUrl, { body: JSON.stringify({ id: 'c1', status: 'ACCEPTED' }) })).toBe(204)
    await delivered(2)
    const events = sent.map(({ init }) => new Webhook(secret).verify(init.body ?? '', init.headers ?? {}))
    expect(events).toEqual(
      expect.arrayContaining([
        {
          type: 'transaction.updated',
          timestamp: expect.any(String),
          data: {
            anchor: { id: anchorId, domain: expect.any(String) },
            transaction: { id: 't1', status: 'completed' },
          },
        },
        expect.objectContaining({
          type: 'customer.updated',
          data: expect.objectContaining({ customer: { id: 'c1', status: 'ACCEPTED' } }),
        }),
      ]),
    )
    await until(
      'both are recorded',
      async () => (await send('GET', '/webhook-deliveries?status=delivered')).body.length === 2,
    )
  })

  it.each<[string, number, Callback]>([
    ['another key', 401, { signer: Keypair.random() }],
    ['a time of an hour ago', 401, { time: Math.floor(Date.now() / 1000) - 3_600 }],
    ['another host', 401, { host: 'evil.example' }],
    ['an anchor that there is not', 404, { anchor: 'nobody' }],
    ['a body that is neither', 400, { body: '{"x":1}' }],
    ['a body that is no JSON', 400, { body: 'null' }],
  ])('takes nothing signed with %s', async (_what, expected, callback) => {
    const { callbackUrl, hook } = await newKey()
    await hook()
    expect(await call(callbackUrl, callback)).toBe(expected)
    expect(await query('select 1 from webhook_deliveries')).toEqual([])
  })

  it('keeps its secret where AGGREGATOR_KEY is set later, which alone then decrypts it', async () => {
    const { hook } = await newKey()
    const { id, secret } = await hook()
    const AGGREGATOR_KEY = `v2:${randomBytes(32).toString('base64')}`
    const { databaseUrl } = aggregator
    const later = await testAggregator({ databaseUrl, env: { AGGREGATOR_KEY } })
    await later.stop()
    const [row] = await query<{ sealed_secret: Buffer }>('select sealed_secret from webhook_endpoints')
    const { open } = createSealer(parseKeyring(AGGREGATOR_KEY))
    expect(open(row?.sealed_secret ?? Buffer.alloc(0), `wallet-webhook:${id}`)).toBe(secret)
  })

  it('gets a status again that a customer has a second time', async () => {
    const { callbackUrl, hook } = await newKey()
    await hook()
    const time = Math.floor(Date.now() / 1000)
    for (const [status, at] of [
      ['ACCEPTED', time - 2],
      ['NEEDS_INFO', time - 1],
      ['ACCEPTED', time],
    ] as const)
      expect(await call(callbackUrl, { body: JSON.stringify({ id: 'c1', status }), time: at })).toBe(204)
    await delivered(3)
  })

  it('gets what an anchor sends, however much another one sent', async () => {
    const { callbackRate, database } = aggregator.deps
    const other = Keypair.random()
    const otherId = await aggregator.register({ signingKey: other.publicKey() })
    const { callbackUrl, hook } = await newKey()
    await hook()
    aggregator.deps.callbackRate = createRate(database.pool, 'few-callbacks', 1, 60)
    const callOther = (more: Callback = {}) => call(callbackUrl, { signer: other, anchor: otherId, ...more })
    // In the other one's name: counts for nobody.
    expect(await callOther({ anchor: anchorId })).toBe(401)
    expect(await callOther()).toBe(204)
    expect(await callOther({ body: transaction('refunded') })).toBe(429)
    expect(await call(callbackUrl)).toBe(204)
    aggregator.deps.callbackRate = callbackRate
    await delivered(2)
  })

  it('waits for no other wallet’s endpoints, however many of those never answer', async () => {
    const { promise: never, resolve: giveUp } = Promise.withResolvers<void>()
    const { outbound } = aggregator.deps
    aggregator.deps.outbound = {
      ...outbound,
      request: async (url, init = {}) => {
        if (url.includes('tarpit')) await never
        return outbound.request(url, init)
      },
    }
    const [slow, honest] = [await newKey(), await newKey()]
    for (let index = 0; index < 5; index++) await slow.hook(undefined, `https://tarpit${index}.example/`)
    await honest.hook()
    for (const status of ['pending_anchor', 'completed'])
      expect(await call(slow.callbackUrl, { body: transaction(status) })).toBe(204)
    const sender = createWalletSender(aggregator.deps)
    await sender.round()
    expect(await call(honest.callbackUrl)).toBe(204)
    await sender.round()
    await until('the honest wallet has it', () => sent.some(({ url }) => url.includes('wallet.example')))
    // Two at once of this sender and of the aggregator's own.
    const [row] = await query<{ begun: number }>(
      'select count(*)::int as begun from webhook_deliveries where attempts > 0',
    )
    expect(row?.begun).toBeLessThanOrEqual(2 + 2 + 1)
    aggregator.deps.outbound = outbound
    giveUp()
    await sender.stop()
  })

  it('whose secret cannot be decrypted fails like one that refuses, and holds up no other', async () => {
    const [lost, honest] = [await newKey(), await newKey()]
    const { id } = await lost.hook()
    await honest.hook()
    await query(`update webhook_endpoints set sealed_secret = '\\x00' where id = $1`, [id])
    await call(lost.callbackUrl)
    await call(honest.callbackUrl)
    await delivered(1)
    const list = async () => (await lost.send('GET', '/webhook-deliveries')).body
    await until('the failure is recorded', async () => (await list())[0].lastError !== null)
    expect(await list()).toMatchObject([
      {
        status: 'waiting',
        attempts: 1,
        lastStatus: null,
        lastError: expect.stringMatching(/^the secret cannot be decrypted/),
      },
    ])
  })

  it('has a bounded queue and history, whatever anchors of strangers send, and other keys have room', async () => {
    const [flooded, other] = [await newKey(), await newKey()]
    const { id } = await flooded.hook()
    await other.hook()
    const fill = (state: string, count: number, from: number) =>
      query(
        `insert into webhook_deliveries (endpoint_id, message_id, event, payload, state, next_try_at)
         select $1, 'msg_' || n, 'transaction.updated', '{}', $2, now() + interval '1 day'
         from generate_series($3::int, $3::int + $4::int - 1) n`,
        [id, state, from, count],
      )
    const stored = async () =>
      (
        await query<{ count: number }>(
          'select count(*)::int as count from webhook_deliveries where endpoint_id = $1',
          [id],
        )
      )[0]?.count
    await fill('waiting', 10_000, 0)
    expect(await call(flooded.callbackUrl)).toBe(429)
    expect(await stored()).toBe(10_000)
    expect(await call(other.callbackUrl)).toBe(204)
    expect(
      await call(other.callbackUrl, { body: JSON.stringify({ transaction: { id: 'x'.repeat(17_000) } }) }),
    ).toBe(413)
    await fill('delivered', 5, 20_000)
    await pruneDeliveries(aggregator.deps.database.db, 2)
    expect(await stored()).toBe(10_002)
    await delivered(1)
  })

  it('is reached at its own key’s address only', async () => {
    const [one, two] = [await newKey(), await newKey()]
    const { id } = await one.hook()
    await two.hook()
    await call(one.callbackUrl)
    expect(await call(`${new URL(one.callbackUrl).origin}/callbacks/${'x'.repeat(32)}/`)).toBe(404)
    const rows = (await one.send('GET', '/webhook-deliveries')).body
    expect(rows).toMatchObject([{ endpointId: id, event: 'transaction.updated' }])
    expect((await two.send('GET', '/webhook-deliveries')).body).toEqual([])
    expect((await two.send('DELETE', `/webhook-endpoints/${id}`)).status).toBe(404)
    expect((await two.send('POST', `/webhook-deliveries/${rows[0].id}/replay`)).status).toBe(404)
  })

  it('is tried again with pauses, is dead after a day, and can be sent again with the same id', async () => {
    const { callbackUrl, hook, send } = await newKey()
    await hook(['transaction.updated'])
    await call(callbackUrl)
    const list = async () => (await send('GET', '/webhook-deliveries')).body[0]
    status = 500
    await delivered(1)
    await until('the failure is recorded', async () => (await list()).lastStatus === 500)
    const [{ wait }] = (await query<{ wait: number }>(
      'select extract(epoch from next_try_at - now())::float as wait from webhook_deliveries',
    )) as [{ wait: number }]
    expect(wait).toBeLessThanOrEqual(5)
    await query('update webhook_deliveries set attempts = 10, next_try_at = now()')
    await delivered(2)
    await until('it is dead', async () => (await list()).status === 'dead')
    const [dead] = (await send('GET', '/webhook-deliveries?status=dead')).body
    expect(dead).toMatchObject({ attempts: 11, lastStatus: 500, lastError: 'the endpoint answered 500' })
    status = 200
    expect((await send('POST', `/webhook-deliveries/${dead.id}/replay`)).status).toBe(202)
    await delivered(3)
    await until('it is delivered', async () => (await list()).status === 'delivered')
    expect(new Set(sent.map(({ init }) => init.headers?.['webhook-id'])).size).toBe(1)
  })

  it('is notified when an anchor has been unavailable for a minute, and when it is back', async () => {
    // A database of its own: an aggregator's worker reports the anchors of its registry.
    const own = await testDatabase(sharedMigrations, ownMigrations)
    const database = openDatabase<Tables>(own.url, { name: 'test', max: 2 })
    await database.pool.query(
      `with key as (insert into wallet_keys (name, hash, relay) values ('Pocket', 'x', 'y') returning id)
       insert into webhook_endpoints (key_id, url, events, sealed_secret)
       select id, 'https://wallet.example/', array['anchor.available', 'anchor.unavailable'], 'x' from key`,
    )
    const domain = 'steady.example'
    const report = (available: boolean, seconds: number) =>
      reportAvailability({ database }, [{ id: 'steady', domain, available }], new Date(seconds * 1000))
    const events = async () =>
      (await database.pool.query('select event from webhook_deliveries order by created_at')).rows.map(
        ({ event }) => event,
      )
    await report(true, 0)
    await report(false, 10)
    // A failed check or two.
    await report(true, 71)
    await report(false, 80)
    await report(false, 139)
    expect(await events()).toEqual([])
    await report(false, 140)
    await report(false, 141)
    expect(await events()).toEqual(['anchor.unavailable'])
    await report(true, 150)
    await report(true, 210)
    expect(await events()).toEqual(['anchor.unavailable', 'anchor.available'])
    await database.close()
    await own.drop()
  })
})

describe('a wallet key', () => {
  it('is stored as a hash, and its webhooks end with it', async () => {
    const { key, callbackUrl, send, hook } = await newKey()
    await hook()
    const stored = JSON.stringify(await query('select * from wallet_keys, webhook_endpoints'))
    expect(stored).not.toContain(key)
    expect((await send('GET', '/wallet-keys/current')).body).toMatchObject({ name: 'Pocket', callbackUrl })
    expect((await send('DELETE', '/wallet-keys/current')).status).toBe(204)
    expect((await send('GET', '/wallet-keys/current')).status).toBe(401)
    expect(await call(callbackUrl)).toBe(404)
    expect(await query('select 1 from webhook_endpoints')).toEqual([])
  })

  it('has at most five endpoints, at https addresses without credentials', async () => {
    const { send, hook } = await newKey()
    for (const url of ['ftp://a.example/', 'https://u:p@a.example/', 'nonsense'])
      expect((await send('POST', '/webhook-endpoints', { url })).status).toBe(400)
    expect(
      (await send('POST', '/webhook-endpoints', { url: 'https://a.example/', events: ['x'] })).status,
    ).toBe(400)
    for (let count = 0; count < 5; count++) await hook()
    expect((await send('POST', '/webhook-endpoints', { url: 'https://a.example/' })).status).toBe(400)
    expect((await send('GET', '/webhook-endpoints')).body).toHaveLength(5)
  })

  it('is made a few times a day by one client', async () => {
    const { walletKeyRate, database } = aggregator.deps
    aggregator.deps.walletKeyRate = createRate(database.pool, 'few-keys', 1, 60)
    await newKey()
    expect((await aggregator.post('/wallet-keys', { name: 'Second' })).status).toBe(429)
    aggregator.deps.walletKeyRate = walletKeyRate
  })
})
