import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { PROXY_SECRET_HEADER } from '../http/client-address.ts'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { collectProcessMetrics } from './event-loop.ts'
import { createLogger } from './logger.ts'
import { createCounter, kept, publishGauge } from './metrics.ts'
import { publishPool } from './pool-metrics.ts'
import { publishOutbox } from './outbox-metrics.ts'
import { enqueue } from '../work/outbox.ts'
import { createServer, type Server } from '../http/server.ts'

let server: Server
beforeEach(async () => {
  server = await createServer({
    name: 'pets',
    logger: createLogger('pets', 'silent'),
    proxySecret: 'p'.repeat(32),
  })
})
const scrape = async (): Promise<string[]> => {
  const answer = await server.app.inject('/metrics')
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return answer.body.split('\n')
}
const linesOf = async (name: string): Promise<string[]> =>
  (await scrape()).filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

describe('a gauge', () => {
  it('shows what is read when Prometheus asks, and no value of labels that are gone', async () => {
    let pets = [
      { labels: { kind: 'cat' }, value: 2 },
      { labels: { kind: 'dog' }, value: 1 },
    ]
    publishGauge(server.app.metrics, { name: 'pets', help: 'Pets', labels: ['kind'], read: () => pets })
    expect(await linesOf('pets')).toEqual([
      'pets{kind="cat",service="pets"} 2',
      'pets{kind="dog",service="pets"} 1',
    ])
    pets = [{ labels: { kind: 'dog' }, value: 3 }]
    expect(await linesOf('pets')).toEqual(['pets{kind="dog",service="pets"} 3'])
  })

  it('is left out while it cannot be read, which is counted and hides no other metric', async () => {
    let fails = true
    const read = async () => {
      if (fails) throw new Error('the database is away')
      return 7
    }
    publishGauge(server.app.metrics, { name: 'fragile', help: 'Fragile', read })
    publishGauge(server.app.metrics, { name: 'unknown_yet', help: 'Unknown', read: () => null })
    expect(await linesOf('fragile')).toEqual([])
    expect(await linesOf('unknown_yet')).toEqual([])
    expect(await linesOf('windlass_metric_failures_total')).toContainEqual(
      expect.stringMatching(/metric="fragile".* [1-9]/),
    )
    expect(await linesOf('process_resident_memory_bytes')).toHaveLength(1)
    fails = false
    expect(await linesOf('fragile')).toEqual(['fragile{service="pets"} 7'])
  })

  it('that asks a database asks once for several scrapes, and again after a failure', async () => {
    let asked = 0
    const read = kept(async () => {
      if (++asked === 1) throw new Error('away')
      return asked
    })
    publishGauge(server.app.metrics, { name: 'first', help: 'First', read })
    await scrape()
    publishGauge(server.app.metrics, { name: 'second', help: 'Second', read })
    await scrape()
    await scrape()
    expect(asked).toBe(2)
  })
})

it('shows how long the event loop was blocked, until it is read', async () => {
  const registry = new Registry()
  collectProcessMetrics(registry, 10)
  const longest = async () => {
    const metric = await registry.getSingleMetric('nodejs_eventloop_lag_max_seconds')?.get()
    return metric?.values[0]?.value ?? 0
  }
  await sleep(30)
  const until = performance.now() + 200
  while (performance.now() < until) continue
  await sleep(30)
  expect(await longest()).toBeGreaterThan(0.1)
  await registry.metrics()
  await expect.poll(async () => (await registry.metrics(), await longest())).toBeLessThan(0.1)
})

it('shows the last delays of the event loop until a timer has measured it again', async () => {
  const registry = new Registry()
  collectProcessMetrics(registry, 10)
  const shown = async () =>
    (await registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')?.get())?.values[0]?.value
  await sleep(30)
  const until = performance.now() + 200
  while (performance.now() < until) continue
  await sleep(30)
  // Between the two no timer can fire: neither leaves the microtask queue.
  const [first, second] = [await shown(), await shown()]
  expect(first).toBeGreaterThan(0.1)
  expect(second).toBe(first)
})

it('counts what code anywhere in the process counts', async () => {
  const fed = createCounter('pets_fed_total', 'Meals', ['kind'])
  fed.inc({ kind: 'cat' })
  fed.inc({ kind: 'cat' })
  expect(await linesOf('pets_fed_total')).toEqual(['pets_fed_total{kind="cat",service="pets"} 2'])
})

it('hides metrics from what the proxy passes on', async () => {
  const headers = { [PROXY_SECRET_HEADER]: 'p'.repeat(32) }
  expect((await server.app.inject({ url: '/metrics', headers })).statusCode).toBe(404)
})

describe('of a database', () => {
  let database: Database<unknown>
  let drop: () => Promise<void>
  beforeAll(async () => {
    const given = await testDatabase(sharedMigrations)
    database = openDatabase(given.url, { name: 'metrics', max: 2 })
    drop = given.drop
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })

  it('shows callers that wait for a connection', async () => {
    publishPool(server.app.metrics, database.pool)
    const held = [await database.pool.connect(), await database.pool.connect()]
    const late = database.pool.connect()
    expect(await linesOf('windlass_database_waiting_callers')).toEqual([
      'windlass_database_waiting_callers{service="pets"} 1',
    ])
    expect(await linesOf('windlass_database_connections')).toContain(
      `windlass_database_connections{state="busy",service="pets"} ${held.length}`,
    )
    for (const each of held) each.release()
    ;(await late).release()
  })

  it('does not count its own queries, which an idle connection serves at once', async () => {
    publishPool(server.app.metrics, database.pool)
    await database.pool.query('select 1')
    expect(await linesOf('windlass_database_waiting_callers')).toEqual([
      'windlass_database_waiting_callers{service="pets"} 0',
    ])
  })

  it('shows whether it answers', async () => {
    publishPool(server.app.metrics, database.pool)
    expect(await linesOf('windlass_database_up')).toEqual(['windlass_database_up{service="pets"} 1'])
    const other = await createServer({ name: 'others', logger: createLogger('others', 'silent') })
    const nowhere = openDatabase<never>('postgres://nobody@127.0.0.1:9/none', { name: 'nowhere' })
    publishPool(other.app.metrics, nowhere.pool)
    const { body } = await other.app.inject('/metrics')
    expect(body).toContain('windlass_database_up{service="others"} 0')
    await Promise.all([nowhere.close(), other.close()])
  })

  it('shows how long messages of the outbox wait, those to strangers apart', async () => {
    await enqueue(database.db, 'news', 'one', {})
    await enqueue(database.db, 'news', 'two', {}, undefined, 'wallet.example')
    await sql`update outbox set created_at = now() - interval '1 hour' where key = 'one'`.execute(database.db)
    publishOutbox(server.app.metrics, database.db)
    expect((await linesOf('windlass_outbox_messages')).toSorted()).toEqual([
      'windlass_outbox_messages{topic="news",recipient="service",service="pets"} 1',
      'windlass_outbox_messages{topic="news",recipient="stranger",service="pets"} 1',
    ])
    const oldest = (await linesOf('windlass_outbox_oldest_seconds')).find(line => line.includes('"service",'))
    expect(Number(oldest?.split(' ').at(-1))).toBeGreaterThanOrEqual(3_600)
  })

  it('shows messages that their recipient refuses by its answer, and counts them as waiting for nobody', async () => {
    await sql`delete from outbox`.execute(database.db)
    await enqueue(database.db, 'news', 'one', {})
    await sql`update outbox set refused_at = now(), refused_code = 'validation-failed', created_at = now() - interval '1 hour'`.execute(
      database.db,
    )
    publishOutbox(server.app.metrics, database.db)
    expect(await linesOf('windlass_refused_messages')).toEqual([
      'windlass_refused_messages{topic="news",code="validation-failed",service="pets"} 1',
    ])
    expect(await linesOf('windlass_outbox_oldest_seconds')).toEqual([
      'windlass_outbox_oldest_seconds{topic="news",recipient="service",service="pets"} 0',
    ])
  })
})
