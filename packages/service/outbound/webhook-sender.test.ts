import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from '../postgres/database.ts'
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts'

interface Row {
  id: string
  endpoint_id: string
  message_id: string
  attempts: number
  recipient: string
}

let template: TestDatabase
let database: Database<{ deliveries: Row }>
let sender: WebhookSender
let now = 0
/** The addresses asked, in order; those whose name begins with `slow` answer when `giveUp` is called. */
const asked: string[] = []
const giveUp: (() => void)[] = []

beforeAll(async () => {
  template = await testDatabase()
  database = openDatabase(template.url, { name: 'webhook-sender', max: 5, onError: () => undefined })
  await sql`create table deliveries (
    id uuid primary key default gen_random_uuid(), recipient text, endpoint_id text, message_id text default 'msg',
    state text default 'waiting', attempts int default 0, next_try_at timestamptz default now(),
    last_status int, last_error text, delivered_at timestamptz)`.execute(database.db)
})
afterAll(async () => {
  await database.close()
  await template.drop()
})
beforeEach(async () => {
  await sql`truncate deliveries`.execute(database.db)
  asked.length = giveUp.length = now = 0
  sender = createWebhookSender<Row, { deliveries: Row }>({
    deps: {
      database,
      clock: { now: () => new Date(now) },
      logger: { warn: () => undefined },
      outbound: {
        async request(url) {
          asked.push(url)
          if (url.startsWith('slow')) await new Promise<void>(resolve => giveUp.push(resolve))
          return { status: 204, headers: {}, text: '' }
        },
      },
    },
    table: 'deliveries',
    recipient: sql<string>`recipient`,
    destinations: async ids =>
      new Map(
        ids.map(id => {
          const [recipient = ''] = id.split('/')
          return [id, { recipient, url: id, secret: () => secretOf(recipient) }]
        }),
      ),
    body: () => '{}',
  })
})

function secretOf(recipient: string): string {
  if (recipient === 'unreadable') throw new Error('the key does not fit')
  return randomUUID()
}

/** As many deliveries of a recipient, each to an endpoint of its own. */
const enqueue = (recipient: string, count: number) =>
  sql`insert into deliveries (recipient, endpoint_id)
    select ${recipient}::text, ${recipient}::text || '/' || n from generate_series(1, ${count}) n`.execute(
    database.db,
  )
const of = (recipient: string) => asked.filter(url => url.startsWith(`${recipient}/`))

describe('sending webhooks', () => {
  it('has two deliveries of a recipient under way, however many slow endpoints it has, until all are sent', async () => {
    await enqueue('slow', 25)
    await enqueue('other', 5)
    await sender.round()
    await sender.round()
    expect(of('slow')).toHaveLength(2)
    while (asked.length < 30) {
      giveUp.splice(0).forEach(end => end())
      await new Promise(setImmediate)
    }
    giveUp.splice(0).forEach(end => end())
    await sender.idle()
    expect(new Set(asked).size).toBe(30)
  })

  it('leaves room for others where many recipients are slow', async () => {
    const recipients = Array.from({ length: 30 }, (_, index) => `slow${index}`)
    for (const recipient of recipients) await enqueue(recipient, 1)
    await sender.round()
    now += 10_000
    giveUp.splice(0).forEach(end => end())
    await sender.idle()
    expect(asked).toHaveLength(30)
    // Known by now: half of all that may be under way is kept for others.
    for (const recipient of recipients) await enqueue(recipient, 2)
    await sender.round()
    expect(asked).toHaveLength(30 + 25)
    await enqueue('other', 1)
    await sender.round()
    expect(of('other')).toHaveLength(1)
    expect(asked).toHaveLength(30 + 25 + 1)
    const stopped = sender.stop()
    giveUp.splice(0).forEach(end => end())
    await stopped
    expect(asked).toHaveLength(30 + 25 + 1)
  })

  it('counts a secret that cannot be decrypted as a failed attempt, and sends the others', async () => {
    await enqueue('unreadable', 1)
    await enqueue('other', 1)
    await sender.round()
    await sender.idle()
    expect(asked).toEqual(['other/1'])
    const failed = sql<object>`select state, attempts, last_status, last_error, next_try_at > now() as later
      from deliveries where recipient = 'unreadable'`
    const reason = 'the secret cannot be decrypted: add the endpoint again'
    const once = { state: 'waiting', attempts: 1, last_status: null, last_error: reason, later: true }
    expect((await failed.execute(database.db)).rows).toEqual([once])
    await sql`update deliveries set attempts = 10, next_try_at = now()`.execute(database.db)
    await sender.round()
    await sender.idle()
    expect((await failed.execute(database.db)).rows).toMatchObject([{ state: 'dead', attempts: 11 }])
  })
})
