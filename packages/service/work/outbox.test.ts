import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { recordStatements } from '@windlass/testing/statements.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { createLogger } from '../observe/logger.ts'
import { defaultBackoff, enqueue, startOutbox, type OutboxMessage, type OutboxOptions } from './outbox.ts'
import { outboxDueAt } from './outbox-rows.ts'
import { createSealer, parseKeyring } from '../seals/seal.ts'

const logger = createLogger('test', 'silent')
const sealer = createSealer(parseKeyring(`v1:${randomBytes(32).toString('base64')}`))
let test: TestDatabase
let database: Database<never>
const running: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  test = await testDatabase(sharedMigrations)
  database = openDatabase(test.url, { name: 'test' })
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(outbox => outbox.stop()))
  await database.close()
  await test.drop()
})

function start(options: Omit<OutboxOptions<never>, 'database' | 'logger'>, over = database) {
  const outbox = startOutbox({ database: over, logger, backoff: () => 20, ...options })
  running.push(outbox)
  return outbox
}
const put = (topic: string, key: string, payload: unknown = {}) => enqueue(database.db, topic, key, payload)
const rows = async () =>
  (
    await database.pool.query<{
      key: string
      payload: unknown
      sealed: Buffer | null
      attempts: number
      last_error: string | null
      delivered_at: Date | null
    }>('select * from outbox order by id')
  ).rows
const allDelivered = async () => (await rows()).every(row => row.delivered_at !== null)
/** Due now, as after its lease or backoff. */
const due = () => database.pool.query('update outbox set next_at = now()')

describe('a message', () => {
  it('is delivered once its transaction commits, and never if it does not', async () => {
    const received: OutboxMessage[] = []
    const outbox = start({ deliver: { mail: async message => void received.push(message) } })
    await database.db
      .transaction()
      .execute(async tx => {
        await enqueue(tx, 'mail', 'lost', {})
        throw new Error('rolled back')
      })
      .catch(() => undefined)
    await database.db.transaction().execute(async tx => {
      await enqueue(tx, 'mail', 'kept', { to: 'a', list: [1, 'ü'] })
    })
    await expect.poll(() => received).toHaveLength(1)
    expect(received[0]).toMatchObject({ key: 'kept', payload: { to: 'a', list: [1, 'ü'] }, attempt: 1 })
    await outbox.drain()
    expect(await rows()).toMatchObject([{ key: 'kept', last_error: null, delivered_at: expect.any(Date) }])
  })

  it('that was the only one to wait has nobody look for others once it is delivered', async () => {
    const { statements, stop } = recordStatements()
    onTestFinished(stop)
    const [sent, delivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const deliver = async () => {
      sent.resolve()
      await delivered.promise
    }
    await put('mail', 'only')
    void start({ deliver: { mail: deliver }, looks: false }).drain()
    await sent.promise
    const looks = () => statements.filter(({ text }) => /with recursive|min\(next_at\)/.test(text)).length
    await expect.poll(looks).toBe(2)
    delivered.resolve()
    await expect.poll(allDelivered).toBe(true)
    await running[0]?.stop()
    expect(looks()).toBe(2)
  })

  it('that was enqueued before is there once, however often it is asked for', async () => {
    const received: unknown[] = []
    await put('mail', 'same', 1)
    await put('mail', 'same', 2)
    await put('other', 'same', 3)
    await start({ deliver: { mail: async ({ payload }) => void received.push(payload) } }).drain()
    await put('mail', 'same', 4)
    await start({ deliver: { mail: async ({ payload }) => void received.push(payload) } }).drain()
    expect(received).toEqual([1])
  })

  it('comes again with the same key until it is delivered, with why it failed', async () => {
    const attempts: [string, number][] = []
    const deliver = async ({ key, attempt }: OutboxMessage) => {
      attempts.push([key, attempt])
      if (attempt < 3) throw new Error(`attempt ${attempt} failed`)
    }
    await put('mail', 'k')
    const outbox = start({ deliver: { mail: deliver }, backoff: () => 60_000 })
    await outbox.drain()
    expect(await rows()).toMatchObject([{ attempts: 1, last_error: 'attempt 1 failed', delivered_at: null }])
    for (let i = 0; i < 2; i++) {
      await due()
      await outbox.drain()
    }
    expect(attempts).toEqual([
      ['k', 1],
      ['k', 2],
      ['k', 3],
    ])
    expect(await rows()).toMatchObject([{ attempts: 3, last_error: null, delivered_at: expect.any(Date) }])
  })

  it('of a topic that nobody here delivers is left for another process', async () => {
    await put('elsewhere', 'k')
    await start({ deliver: { mail: async () => undefined } }).drain()
    expect(await rows()).toMatchObject([{ attempts: 0, delivered_at: null }])
  })
})

describe('a message that its recipient refuses whenever it comes', () => {
  class Answer extends Error {
    readonly status: number
    readonly problem: { code: string }
    constructor(status: number, code: string) {
      super(`${status} ${code}`)
      ;[this.status, this.problem] = [status, { code }]
    }
  }
  const refusals = async () =>
    (
      await database.pool.query<{ key: string; refused_code: string | null; minutes: number }>(
        `select key, refused_code, round(extract(epoch from next_at - now()) / 60)::int as minutes
         from outbox where delivered_at is null order by id`,
      )
    ).rows
  const attempt = async (outbox: { drain(): Promise<void> }, times: number) => {
    for (let i = 0; i < times; i += 1) {
      await due()
      await outbox.drain()
    }
  }

  it('has its answer’s code after six attempts, stays out of the others’ way, and is tried at the next start', async () => {
    let answer: Error | null = new Answer(400, 'validation-failed')
    const received: string[] = []
    const deliver = async ({ key }: OutboxMessage) => {
      if (key.startsWith('bad') && answer) throw answer
      received.push(key)
    }
    for (let i = 0; i < 5; i += 1) await put('sync', `bad ${i}`)
    const outbox = start({ deliver: { sync: deliver }, backoff: () => 60_000 })
    await outbox.drain()
    await attempt(outbox, 4)
    expect((await refusals())[0]).toMatchObject({ refused_code: null })
    await attempt(outbox, 1)
    expect(await refusals()).toEqual(
      Array.from({ length: 5 }, (_, i) => ({
        ...{ key: `bad ${i}`, refused_code: 'validation-failed', minutes: 10 },
      })),
    )
    // As many as there is room for at a time: what comes after them is delivered all the same.
    await put('sync', 'good')
    await outbox.drain()
    expect(received).toEqual(['good'])
    await outbox.stop()
    answer = null
    await start({ deliver: { sync: deliver } }).drain()
    await expect.poll(() => received.length).toBe(6)
    await expect.poll(refusals).toEqual([])
  })

  it.each([
    ['a key that may be changed meanwhile', new Answer(401, 'unauthenticated'), null],
    ['a conflict', new Answer(409, 'settings-changed'), null],
    ['a recipient that is down', new Answer(503, 'dependency-unavailable'), null],
    ['no answer', new Error('connect ECONNREFUSED'), null],
    ['what does not exist', new Answer(404, 'not-found'), 'not-found'],
  ])('is not one that meets %s, if that may end', async (_, error, code) => {
    await put('sync', 'k')
    const outbox = start({ deliver: { sync: () => Promise.reject(error) }, backoff: () => 60_000 })
    await attempt(outbox, 8)
    expect((await refusals())[0]?.refused_code).toBe(code)
  })

  it('is nothing of ours where a stranger’s server refuses it', async () => {
    await enqueue(database.db, 'callback', 'k', {}, undefined, 'wallet.example')
    const refuse = () => Promise.reject(new Answer(400, 'no'))
    await attempt(start({ deliver: { callback: refuse }, backoff: () => 60_000 }), 8)
    expect((await refusals())[0]?.refused_code).toBeNull()
  })
})

it('a message waits longer after each failure, at most ten minutes, and not all messages alike', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), attempt => {
      const ceiling = Math.min(attempt > 20 ? 600_000 : 60_000, 1000 * 2 ** (attempt - 1))
      const wait = defaultBackoff(attempt)
      expect(wait).toBeGreaterThanOrEqual(ceiling / 2)
      expect(wait).toBeLessThanOrEqual(ceiling)
    }),
  )
  expect(new Set(Array.from({ length: 20 }, () => defaultBackoff(10))).size).toBeGreaterThan(1)
})

describe('an outbox that does not look by itself', () => {
  const dueNow = async () => {
    const { rows } = await sql<{ due: boolean | null }>`
      select ${outboxDueAt(['mail'])} <= clock_timestamp() as due`.execute(database.db)
    return rows[0]?.due ?? null
  }

  it('delivers what is due, before or after it began, when it is asked', async () => {
    const received: string[] = []
    const deliver = { mail: async ({ key }: OutboxMessage) => void received.push(key) }
    // One connection: a look that something caused would be before the queries that follow.
    const one = openDatabase<never>(test.url, { name: 'test', max: 1, channels: ['outbox'] })
    running.push({ stop: () => one.close() })
    await put('mail', 'before')
    const outbox = start({ deliver, looks: false }, one)
    const notified = new Promise(resolve =>
      one.notifications.on('received', channel => channel === 'outbox' && resolve(channel)),
    )
    await enqueue(one.db, 'mail', 'after', {})
    await notified
    await sql`select 1`.execute(one.db)
    expect(await rows()).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
    expect(await dueNow()).toBe(true)
    await outbox.drain()
    expect(received).toEqual(['before', 'after'])
    expect(await dueNow()).toBeNull()
  })

  it('tries again by itself what failed, and says when one that waits for long is due', async () => {
    let attempts = 0
    const deliver = async () => {
      attempts += 1
      if (attempts < 3) throw new Error('no')
    }
    const waits = [60_000, 20]
    await put('mail', 'k')
    const outbox = start({ deliver: { mail: deliver }, looks: false, backoff: () => waits.shift() ?? 0 })
    await outbox.drain()
    expect([attempts, await dueNow()]).toEqual([1, false])
    await due()
    expect(await dueNow()).toBe(true)
    await outbox.drain()
    await expect.poll(allDelivered).toBe(true)
    expect(attempts).toBe(3)
  })

  it('delivers at once what was planned by a clock that has been set back since', async () => {
    await put('mail', 'k')
    await sql`update outbox set next_at = now() + interval '2 hours'`.execute(database.db)
    expect(await dueNow()).toBe(true)
    const received: string[] = []
    const deliver = { mail: async ({ key }: OutboxMessage) => void received.push(key) }
    await start({ deliver, looks: false }).drain()
    await expect.poll(() => received).toEqual(['k'])
  })

  it('delivers such a message while another one waits for its turn', async () => {
    await put('mail', 'waits')
    await put('mail', 'planned later')
    await sql`update outbox set next_at = now() + case key when 'waits' then interval '5 minutes' else interval '2 hours' end`.execute(
      database.db,
    )
    expect(await dueNow()).toBe(true)
    const received: string[] = []
    const deliver = { mail: async ({ key }: OutboxMessage) => void received.push(key) }
    await start({ deliver, looks: false }).drain()
    await expect.poll(() => received).toEqual(['planned later'])
  })
})

describe('a process that dies', () => {
  it('leaves its message to another, once the lease is over', async () => {
    await put('mail', 'k')
    // As a killed process leaves it: taken, never finished.
    const dead = openDatabase<never>(test.url, { name: 'dead' })
    const abandoned = startOutbox({
      database: dead,
      logger,
      deliver: { mail: () => new Promise(() => undefined) },
      within: 3_000_000,
    })
    await expect.poll(async () => (await rows())[0]?.attempts).toBe(1)
    // It never ends; from here on it takes nothing more.
    void abandoned.stop()
    const received: number[] = []
    const outbox = start({ deliver: { mail: async ({ attempt }) => void received.push(attempt) } })
    await outbox.drain()
    expect(received).toEqual([])
    const { rows: left } = await database.pool.query<{ seconds: number }>(
      'select extract(epoch from next_at - now())::float8 as seconds from outbox',
    )
    expect(left[0]!.seconds).toBeGreaterThan(20)
    await due()
    await outbox.drain()
    expect(received).toEqual([2])
    await dead.close()
  })

  it('and comes back to report a failure does not disturb who took over', async () => {
    await put('mail', 'k')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const slow = start({
      deliver: {
        mail: async () => {
          await released
          throw new Error('too late')
        },
      },
      backoff: () => 3_600_000,
    })
    await expect.poll(async () => (await rows())[0]?.attempts).toBe(1)
    const stopping = slow.stop()
    await due()
    await start({ deliver: { mail: async () => undefined } }).drain()
    release()
    await stopping
    expect(await rows()).toMatchObject([{ attempts: 2, last_error: null, delivered_at: expect.any(Date) }])
  })
})

describe('several processes', () => {
  it('share the work, each message to one of them', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`)
    await Promise.all(keys.map(key => put('mail', key)))
    const received: string[] = []
    const others = Array.from({ length: 3 }, () => openDatabase<never>(test.url, { name: 'other' }))
    const outboxes = others.map(other =>
      start({ deliver: { mail: async ({ key }) => void received.push(key) } }, other),
    )
    await Promise.all(outboxes.map(outbox => outbox.drain()))
    await expect.poll(allDelivered).toBe(true)
    expect(received.toSorted()).toEqual(keys.toSorted())
    await Promise.all(running.splice(0).map(outbox => outbox.stop()))
    await Promise.all(others.map(other => other.close()))
  })
})

describe('a topic whose far side hangs', () => {
  it('does not keep the others waiting, and is not asked more than it can take', async () => {
    const { promise: never, resolve } = Promise.withResolvers<void>()
    let hanging = 0
    for (let i = 0; i < 30; i++) await put('hang', `h${i}`)
    for (let i = 0; i < 30; i++) await put('mail', `m${i}`)
    const received: string[] = []
    start({
      deliver: {
        hang: async () => {
          hanging++
          await never
        },
        mail: async ({ key }) => void received.push(key),
      },
    })
    await expect.poll(() => received).toHaveLength(30)
    expect(hanging).toBe(5)
    resolve()
    await expect.poll(allDelivered).toBe(true)
  })

  it('holds up only its own lane, and no first attempt waits for repeated ones', async () => {
    const { promise: never, resolve } = Promise.withResolvers<void>()
    const to = (lane: string, key: string) => enqueue(database.db, 'callback', key, { lane }, undefined, lane)
    // Forty to one host that never answers, and forty to as many hosts.
    for (let i = 0; i < 40; i++) {
      await to('tarpit', `one-${i}`)
      await to(`tarpit-${i}`, `each-${i}`)
    }
    await to('honest', 'first')
    const received: string[] = []
    const asked = new Map<string, number>()
    start({
      atOnce: { callback: 50 },
      deliver: {
        callback: async ({ key, payload }) => {
          const { lane } = payload as { lane: string }
          asked.set(lane, (asked.get(lane) ?? 0) + 1)
          if (lane !== 'honest') await never
          received.push(key)
        },
      },
    })
    await expect.poll(() => received).toEqual(['first'])
    await expect.poll(() => [...asked.values()].reduce((sum, count) => sum + count, 0)).toBe(45)
    expect(asked.get('tarpit')).toBe(4)
    await to('honest', 'second')
    await expect.poll(() => received).toEqual(['first', 'second'])
    expect(asked.get('tarpit')).toBe(4)
    resolve()
    await expect.poll(allDelivered).toBe(true)
  })

  it('that failed comes after first attempts of other lanes', async () => {
    const received: string[] = []
    for (let i = 0; i < 3; i++) await enqueue(database.db, 'callback', `old-${i}`, {}, undefined, `old-${i}`)
    await database.pool.query('update outbox set attempts = 1')
    await enqueue(database.db, 'callback', 'new', {}, undefined, 'new')
    const outbox = start({
      atOnce: { callback: 1 },
      deliver: { callback: async ({ key }) => void received.push(key) },
    })
    await outbox.drain()
    await expect.poll(allDelivered).toBe(true)
    expect(received).toEqual(['new', 'old-0', 'old-1', 'old-2'])
  })

  it('is given up for this attempt after its time', async () => {
    await put('hang', 'k')
    const outbox = start({
      deliver: { hang: () => new Promise(() => undefined) },
      within: 30,
      backoff: () => 60_000,
    })
    await outbox.drain()
    expect(await rows()).toMatchObject([{ last_error: 'not delivered within 30 ms', delivered_at: null }])
  })
})

describe('a sealed message', () => {
  it('is stored encrypted until it is delivered, and is wiped then', async () => {
    await enqueue(database.db, 'mail', 'k', { token: 'very-secret-token' }, sealer)
    const [before] = await rows()
    expect(before!.payload).toBeNull()
    expect(before!.sealed?.includes('very-secret-token')).toBe(false)
    const received: unknown[] = []
    await start({ sealer, deliver: { mail: async ({ payload }) => void received.push(payload) } }).drain()
    expect(received).toEqual([{ token: 'very-secret-token' }])
    expect(await rows()).toMatchObject([{ sealed: null, payload: null, delivered_at: expect.any(Date) }])
  })

  it('waits where the key is missing or another, and does not open in another row', async () => {
    await enqueue(database.db, 'mail', 'k', { token: 'x' }, sealer)
    await enqueue(database.db, 'mail', 'swapped', { token: 'y' }, sealer)
    await database.pool.query(
      "update outbox set sealed = (select sealed from outbox where key = 'k') where key = 'swapped'",
    )
    const received: string[] = []
    const deliver = { mail: async ({ key }: OutboxMessage) => void received.push(key) }
    await start({ deliver, backoff: () => 60_000 }).drain()
    expect(received).toEqual([])
    expect((await rows()).every(row => row.sealed !== null && row.last_error !== null)).toBe(true)
    await due()
    await start({ deliver, sealer, backoff: () => 60_000 }).drain()
    expect(received).toEqual(['k'])
  })
})

it('deliveries continue after every connection was killed', async () => {
  const received: string[] = []
  start({ deliver: { mail: async ({ key }) => void received.push(key) } })
  await put('mail', 'before')
  await expect.poll(() => received).toEqual(['before'])
  await database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await put('mail', 'after')
  await expect.poll(() => received).toEqual(['before', 'after'])
})

it('stopping waits for the delivery under way, and nothing is taken after it', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const received: string[] = []
  const deliver = {
    mail: async ({ key }: OutboxMessage) => {
      received.push(key)
      await released
    },
  }
  const outbox = startOutbox({ database, logger, deliver })
  await put('mail', 'first')
  await expect.poll(() => received).toEqual(['first'])
  let stopped = false
  const stopping = outbox.stop().then(() => (stopped = true))
  await database.pool.query('select pg_sleep(0.1)')
  expect(stopped).toBe(false)
  release()
  await stopping
  await put('mail', 'second')
  await database.pool.query('select pg_sleep(1.2)')
  expect((await rows()).map(row => [row.key, row.attempts])).toEqual([
    ['first', 1],
    ['second', 0],
  ])
})
