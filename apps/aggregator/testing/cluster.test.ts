import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { childEnvironment, serviceProgram } from '@windlass/testing/processes.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { LEASE_MS, renewLeases } from '../health/shards.ts'
import { SHARDS } from '../health/schedule.ts'
import { findEntry } from '../registry/find.ts'
import { ownMigrations } from '../start.ts'
import type { Tables } from '../tables.ts'
import { SERVICE_SECRET, testAggregator, type TestAggregator } from './aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from './anchor-server.ts'
import { cuttable, type CuttableDatabase } from './cuttable.ts'
import { waitUntil } from './wait-until.ts'

const PROGRAM = await serviceProgram('aggregator')

let one: TestAggregator
let two: TestAggregator
let server: AnchorServer
let way: CuttableDatabase

const wish = { amount: '10', asset: 'USDC', rail: 'UPI', currency: 'INR' }

beforeAll(async () => {
  server = await startAnchorServer()
  server.on('/health', json({ status: 'ok' }))
  one = await testAggregator({ env: { HEALTH_POLL_SECONDS: '1' } })
  way = await cuttable(one.databaseUrl)
  two = await testAggregator({
    databaseUrl: way.url,
    databaseAnswersWithinMs: 2_000,
    env: { HEALTH_POLL_SECONDS: '1' },
  })
})
afterAll(async () => {
  await two.drop()
  await way.close()
  await one.drop()
  await server.close()
})

describe('two aggregators on one database', () => {
  it('know of each other’s registrations, changes and removals', async () => {
    await one.register({ id: 'shared', apiUrl: server.url })
    await waitUntil('two knows', () => two.deps.index.get('shared')?.available === true)
    expect((await two.post('/route', wish)).body.anchorId).toBe('shared')
    await two.register({ id: 'shared', apiUrl: server.url, rails: ['SEPA'] })
    await waitUntil('one knows of the change', async () => (await one.post('/route', wish)).status === 404)
    await one.write('DELETE', '/anchors/shared')
    await waitUntil('two knows it is gone', () => two.deps.index.get('shared') === undefined)
  })

  it('count the same uptime, whichever process probed', async () => {
    await one.register({ id: 'counted', apiUrl: server.url })
    await two.register({ id: 'counted', apiUrl: server.url })
    const counts = ({ deps }: TestAggregator) => {
      const entry = deps.index.get('counted')
      deps.index.advance(deps.clock.now())
      return entry && deps.index.uptimeOf(entry)
    }
    await waitUntil('some polls', () => (counts(one)?.checks ?? 0) >= 4)
    await waitUntil('both say what the rows say', async () => {
      const { rows } = await one.deps.database.pool.query(
        `select count(*)::int as checks, (count(*) filter (where current_availability))::int as good
         from health_metrics where anchor_id = 'counted' and checked_at > now() - interval '1 hour'`,
      )
      const all = [rows[0], counts(one), counts(two)].map(c => JSON.stringify([c?.good, c?.checks]))
      return new Set(all).size === 1
    })
  })

  it('share policies and what firm quotes hold', async () => {
    await one.register({ id: 'held', apiUrl: server.url, rails: ['NEFT'], treasury_capacity: '40' })
    await waitUntil('two knows', () => two.deps.index.get('held')?.available === true)
    expect((await one.post('/quotes', { ...wish, rail: 'NEFT', firm: true })).status).toBe(201)
    await waitUntil(
      'two knows',
      async () => (await two.post('/route', { ...wish, amount: '31', rail: 'NEFT' })).status === 404,
    )
    const weights = { fee: 1, speed: 0, uptime: 0, liquidity: 0 }
    const { body } = await one.write('POST', '/routing-policies', { weights })
    await waitUntil('two knows the policy', () => two.deps.policies.active.id === body.policy.id)
  })

  it('read a decision that the other answered with a moment ago', async () => {
    const chaps = { ...wish, rail: 'CHAPS' }
    await one.register({ id: 'recent', apiUrl: server.url, rails: ['CHAPS'] })
    await waitUntil('two knows', () => two.deps.index.get('recent')?.available === true)
    const { body } = await two.post('/route', chaps)
    expect((await one.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
  })

  it('read a change that is announced several times at once', async () => {
    const warned = vi.spyOn(two.deps.logger, 'warn')
    await one.register({ id: 'announced', apiUrl: server.url })
    for (let n = 0; n < 5; n += 1) {
      await one.deps.database.pool.query(`select pg_notify('registry', 'announced')`)
    }
    await waitUntil('two knows', () => two.deps.index.get('announced') !== undefined)
    await sleep(100)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('hear of a change that was made by hand in the database', async () => {
    await one.register({ id: 'edited', apiUrl: server.url })
    await one.deps.database.pool.query(`update anchors set status = 'suspended' where id = 'edited'`)
    await waitUntil('both know', () =>
      [one, two].every(({ deps }) => deps.index.get('edited')?.status === 'suspended'),
    )
  })

  it('poll each anchor once in a period between them', async () => {
    for (let n = 0; n < 20; n += 1) {
      server.on(`/p${n}/admin/summary`, json({ status: 'ok', treasury_capacity: '5' }))
      await one.register({ id: `polled${n}`, apiUrl: `${server.url}/p${n}` })
    }
    await waitUntil('two knows', () => two.deps.index.get('polled19') !== undefined)
    const polls = () => server.requests.filter(({ line }) => /\/p\d+\/admin/.test(line)).slice(before)
    const before = server.requests.filter(({ line }) => /\/p\d+\/admin/.test(line)).length
    const start = performance.now()
    await waitUntil('some rounds', () => polls().length >= 80)
    const periods = Math.ceil((performance.now() - start) / 1000)
    for (const [line, asked] of Map.groupBy(polls(), ({ line }) => line)) {
      expect([line, asked.length <= periods + 1]).toEqual([line, true])
    }
    const { rows } = await one.deps.database.pool.query(
      'select owner, count(*)::int from polling_shards group by owner order by 2',
    )
    expect(rows.map(row => row.count)).toEqual([SHARDS / 2, SHARDS / 2])
  })

  it('share the polling with a third one, and divide its part when it is killed', async () => {
    const { pool } = one.deps.database
    const divided = async (among: number) => {
      const { rows } = await pool.query<{ count: number }>(
        'select count(*)::int from polling_shards where lease_until > now() group by owner',
      )
      const counts = rows.map(({ count }) => count)
      const all = counts.reduce((sum, count) => sum + count, 0)
      return counts.length === among && all === SHARDS && Math.max(...counts) <= Math.ceil(SHARDS / among)
    }
    const env = {
      ...childEnvironment(),
      DEPLOYMENT: 'local',
      SERVICE_SECRET,
      AGGREGATOR_DATABASE_URL: one.databaseUrl,
      AGGREGATOR_PORT: '0',
      HEALTH_POLL_SECONDS: '1',
    }
    const third = spawn(process.execPath, [PROGRAM], { env, stdio: 'ignore' })
    const ended = once(third, 'exit')
    await waitUntil('each polls a third', () => divided(3), 60_000)
    third.kill('SIGKILL')
    await ended
    await waitUntil('two poll everything', () => divided(2), 60_000)
    const asked = () => server.requests.filter(({ line }) => line.includes('/p')).length
    const before = asked()
    await waitUntil('all are polled', () => asked() >= before + 40, 30_000)
  })

  it('catch up with all that happened while one could not hear', async () => {
    await one.register({ id: 'missed', apiUrl: server.url })
    await waitUntil('two knows', () => two.deps.index.get('missed')?.available === true)
    way.cut()
    await waitUntil('two noticed', () => !two.deps.databaseUp())
    await one.register({ id: 'born', apiUrl: server.url })
    await one.write('DELETE', '/anchors/missed')
    const weights = { fee: 0, speed: 1, uptime: 0, liquidity: 0 }
    const { body } = await one.write('POST', '/routing-policies', { weights })
    way.mend()
    await waitUntil('two caught up', () => {
      const { index, policies } = two.deps
      return (
        index.get('born')?.available === true &&
        index.get('missed') === undefined &&
        policies.active.id === body.policy.id
      )
    })
  })
})

describe('a listener that alone loses its connection', () => {
  it('catches up, though everything else went on', async () => {
    await one.register({ id: 'unheard', apiUrl: server.url, status: 'suspended' })
    await waitUntil('two knows', () => two.deps.index.get('unheard') !== undefined)
    const { pool } = one.deps.database
    const killed = await pool.query(
      `with change as (update anchors set status = 'active' where id = 'unheard')
       select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'listen' and datname = current_database()`,
    )
    expect(killed.rowCount).toBe(2)
    await waitUntil('both know', () =>
      [one, two].every(({ deps }) => deps.index.get('unheard')?.status === 'active'),
    )
    expect(two.deps.databaseUp()).toBe(true)
  })
})

describe('while the database is away', () => {
  // A test that fails half-way leaves no outage to those after it.
  afterEach(() => way.mend())

  it('routes from memory, marked stale, refuses writes with 503, and writes its decisions down afterwards', async () => {
    await one.register({ id: 'steady', apiUrl: server.url, rails: ['RTGS'] })
    const rtgs = { ...wish, rail: 'RTGS' }
    await waitUntil('two knows', () => two.deps.index.get('steady')?.available === true)
    await waitUntil('two counted its check', () => {
      const { checks } = two.deps.index.uptimeOf(findEntry(two.deps.index, 'steady'))
      return checks > 0
    })
    way.cut()
    await waitUntil('two noticed', () => !two.deps.databaseUp())
    const { status, body } = await two.post('/route', rtgs)
    expect([status, body.anchorId, body.stale]).toEqual([200, 'steady', true])
    expect(body.reasoning).toContain('out of reach')
    expect((await two.get('/anchors')).body.anchors.length).toBeGreaterThan(0)
    expect((await two.get('/anchors')).body.stale).toBe(true)
    const known = await two.get('/anchors/steady')
    expect([known.status, known.body.stale, known.body.anchor.id]).toEqual([200, true, 'steady'])
    expect(known.body.uptime.checks).toBeGreaterThan(0)
    const hour = await two.get('/anchors/steady/health')
    expect([hour.status, hour.body.stale, hour.body.uptime]).toEqual([200, true, known.body.uptime])
    expect((await two.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    expect((await two.get('/routing-policies')).status).toBe(200)
    expect((await two.post('/quotes/compare', rtgs)).status).toBe(200)
    const quote = await two.post('/quotes', rtgs)
    expect([quote.status, quote.body.code, Number(quote.headers['retry-after'])]).toEqual([
      503,
      'dependency-unavailable',
      5,
    ])
    const { status: registering } = await two.write('DELETE', '/anchors/steady')
    expect(registering).toBe(503)
    const health = await two.get('/health')
    expect([health.status, health.body.checks.database]).not.toEqual([200, 'ok'])
    way.mend()
    await waitUntil('two is back', () => two.deps.databaseUp())
    await waitUntil('the decision is written', async () => {
      const { rowCount } = await one.deps.database.pool.query(
        'select 1 from routing_decisions where id = $1',
        [body.decisionId],
      )
      return rowCount === 1
    })
    expect((await two.get(`/decisions/${body.decisionId}`)).body).toEqual(body)
    await waitUntil('answers are fresh', async () => (await two.post('/route', rtgs)).body.stale === false)
    expect((await two.post('/quotes', rtgs)).status).toBe(201)
    expect((await two.get('/anchors/steady')).body.stale).toBeUndefined()
  })

  it('keeps anchors in the routing that fail their checks, and takes them out once it is back', async () => {
    const sepa = { ...wish, rail: 'SEPA' }
    const well = (isWell: boolean) => json({ status: isWell ? 'ok' : 'down' }, isWell ? 200 : 503)
    server.on('/leaning/health', well(true))
    server.on('/rising/health', well(false))
    await one.register({ id: 'leaning', apiUrl: `${server.url}/leaning`, rails: ['SEPA'] })
    await one.register({ id: 'rising', apiUrl: `${server.url}/rising`, rails: ['GIRO'] })
    const entryOf = (id: string) => findEntry(two.deps.index, id)
    await waitUntil('two knows', () => ['leaning', 'rising'].every(id => two.deps.index.get(id)))
    await waitUntil('it is well', () => entryOf('leaning').available)
    // In one moment, as when the servers of the anchor are on that database too.
    way.cut()
    server.on('/leaning/health', well(false))
    await two.deps.health.probeNow(entryOf('leaning'))
    await waitUntil('two noticed', () => !two.deps.databaseUp())
    const { good, checks } = two.deps.index.uptimeOf(entryOf('leaning'))
    await two.deps.health.probeNow(entryOf('leaning'))
    expect(two.deps.index.uptimeOf(entryOf('leaning'))).toEqual({ good, checks })
    const routed = await two.post('/route', sepa)
    expect([routed.status, routed.body.anchorId, routed.body.stale]).toEqual([200, 'leaning', true])
    const refused = await two.post('/route', { ...sepa, rail: 'GIRO' })
    expect([refused.status, refused.body.rejected.byRule.availability, refused.body.stale]).toEqual([
      404,
      1,
      true,
    ])
    server.on('/rising/health', well(true))
    await two.deps.health.probeNow(entryOf('rising'))
    expect((await two.post('/route', { ...sepa, rail: 'GIRO' })).body.anchorId).toBe('rising')
    way.mend()
    await waitUntil('two is back', () => two.deps.databaseUp())
    // The poller has a watch of its own on the database.
    await waitUntil('its failure counts', async () => {
      await two.deps.health.probeNow(entryOf('leaning'))
      const after = await two.post('/route', sepa)
      return after.status === 404 && after.body.stale === undefined
    })
  })

  it('answers in time where the network swallows everything, and keeps what it answered', async () => {
    await one.register({ id: 'calm', apiUrl: server.url, rails: ['WIRE'] })
    const wire = { ...wish, rail: 'WIRE' }
    await waitUntil('two knows', () => two.deps.index.get('calm')?.available === true)
    way.freeze()
    // Not noticed yet: an answer that needs the database waits for it, and then no longer.
    const [early, known] = await Promise.all([two.post('/route', wire), two.get('/anchors/calm')])
    expect([early.status, early.body.stale]).toEqual([200, false])
    expect([known.status, known.body.stale]).toEqual([200, true])
    const quote = await two.post('/quotes', wire)
    expect([quote.status, quote.body.code]).toEqual([503, 'dependency-unavailable'])
    // Noticed: nothing waits for the database any more.
    await waitUntil('two noticed', () => !two.deps.databaseUp())
    const late = await two.post('/route', wire)
    expect([late.status, late.body.stale]).toEqual([200, true])
    expect(late.body.reasoning).toContain('out of reach')
    const asked = vi.spyOn(two.deps.database.pool, 'query')
    const writes = await Promise.all([
      two.post('/quotes', wire),
      two.post('/quotes', { ...wire, firm: true }, { 'idempotency-key': 'once' }),
      two.write('DELETE', '/anchors/calm'),
      two.write('POST', `/routing-policies/${two.deps.policies.active.id}/activate`),
    ])
    expect(writes.map(write => write.status)).toEqual([503, 503, 503, 503])
    expect(JSON.stringify(asked.mock.calls)).not.toMatch(
      /insert into (quotes|idempotency_keys)|delete from anchors/,
    )
    asked.mockRestore()
    way.mend()
    await waitUntil('two is back', () => two.deps.databaseUp())
    await waitUntil('the decisions are written as they were answered', async () => {
      const read = await Promise.all(
        [early, late].map(({ body }) => one.get(`/decisions/${body.decisionId}`)),
      )
      return isDeepStrictEqual(
        read.map(({ body }) => body),
        [early.body, late.body],
      )
    })
  })
})

describe('leases of the polling', () => {
  it('are shared evenly, never held twice, and taken over from a process that is gone', async () => {
    const database = await testDatabase(sharedMigrations, ownMigrations)
    const { db, pool, close } = openDatabase<Tables>(database.url, { name: 'test' })
    const held = async (id: string) => renewLeases(db, id)
    expect((await held('b')).size).toBe(SHARDS)
    expect((await held('c')).size).toBe(0)
    const [b, c] = [await held('b'), await held('c')]
    expect([b.size, c.size]).toEqual([SHARDS / 2, SHARDS / 2])
    expect([...b].filter(shard => c.has(shard))).toEqual([])
    await held('d')
    for (const id of ['b', 'c', 'd']) await held(id)
    const three = [await held('b'), await held('c'), await held('d')]
    expect(new Set(three.flatMap(shards => [...shards])).size).toBe(SHARDS)
    expect(three.reduce((sum, { size }) => sum + size, 0)).toBe(SHARDS)
    expect(Math.max(...three.map(({ size }) => size))).toBeLessThanOrEqual(Math.ceil(SHARDS / 3))
    await pool.query(
      `update polling_shards set lease_until = lease_until - make_interval(secs => $1) where owner <> 'b'`,
      [LEASE_MS / 1000 + 1],
    )
    await pool.query(`update polling_processes set seen_at = seen_at - interval '1 minute' where id <> 'b'`)
    expect((await held('b')).size).toBe(SHARDS)
    expect((await held('c')).size).toBe(0)
    // It is gone, and the clock was set back since.
    await pool.query("update polling_shards set lease_until = lease_until + interval '2 hours'")
    await pool.query("update polling_processes set seen_at = seen_at + interval '2 hours' where id = 'b'")
    expect((await held('c')).size).toBe(SHARDS)
    await close()
    await database.drop()
  })
})
