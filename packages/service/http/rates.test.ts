import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { recordStatements } from '@windlass/testing/statements.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { createRate } from './rates.ts'
import { isDatabaseAway } from '../observe/outage.ts'
import { endpoint } from '@windlass/contracts/endpoint.ts'
import Type from 'typebox'
import { createLogger } from '../observe/logger.ts'
import { createServer } from './server.ts'

let test: TestDatabase
let one: Database<never>
let two: Database<never>
beforeAll(async () => {
  test = await testDatabase(sharedMigrations)
  one = openDatabase(test.url, { name: 'one' })
  two = openDatabase(test.url, { name: 'two' })
})
afterAll(async () => {
  await Promise.all([one.close(), two.close()])
  await test.drop()
})

describe('a rate', () => {
  it('lets exactly as many pass as it says, over all processes and at once', async () => {
    const rates = [createRate(one.pool, 'shared', 10, 60), createRate(two.pool, 'shared', 10, 60)]
    const taken = await Promise.all(Array.from({ length: 40 }, (_, i) => rates[i % 2]!.take('client')))
    expect(taken.filter(wait => wait === null)).toHaveLength(10)
    for (const wait of taken.filter(wait => wait !== null)) {
      expect(wait).toBeGreaterThanOrEqual(1)
      expect(wait).toBeLessThanOrEqual(60)
    }
  })

  it('that counts in blocks lets exactly as many pass in one process, with few statements', async () => {
    const rate = createRate(one.pool, 'blocks', 200, 60, 'in blocks')
    const recorded = recordStatements()
    const taken: (number | null)[] = []
    for (let round = 0; round < 25; round++)
      taken.push(...(await Promise.all(Array.from({ length: 10 }, () => rate.take('client')))))
    recorded.stop()
    expect(taken.filter(wait => wait === null)).toHaveLength(200)
    expect(taken.slice(200).every(wait => wait !== null && wait >= 1 && wait <= 60)).toBe(true)
    // 50 of them for those that are refused.
    expect(recorded.statements.length).toBeLessThan(50 + 30)
  })

  it('that counts in blocks lets no more pass over several processes', async () => {
    const rates = [one, two].map(({ pool }) => createRate(pool, 'blocks-of-two', 200, 60, 'in blocks'))
    let passed = 0
    for (let round = 0; round < 300; round++)
      if ((await rates[round % 2]!.take('client')) === null) passed += 1
    expect(passed).toBeLessThanOrEqual(200)
    expect(passed).toBeGreaterThan(160)
  })

  it('counts each key and each name for itself', async () => {
    const rate = createRate(one.pool, 'a', 1, 60)
    expect(await rate.take('x')).toBeNull()
    expect(await rate.take('x')).not.toBeNull()
    expect(await rate.take('y')).toBeNull()
    expect(await createRate(one.pool, 'b', 1, 60).take('x')).toBeNull()
    expect(await rate.take("'; drop table rate_limits; --")).toBeNull()
  })

  it('begins again after its time', async () => {
    const rate = createRate(one.pool, 'short', 1, 60)
    await rate.take('x')
    await one.pool.query("update rate_limits set expire = expire - 61000 where key like 'short%'")
    expect(await rate.take('x')).toBeNull()
  })

  it('forgets a window that began before the clock was set back', async () => {
    for (const counts of ['each', 'in blocks'] as const) {
      const rate = createRate(one.pool, `set back ${counts}`, 1, 60, counts)
      expect(await rate.take('x')).toBeNull()
      await one.pool.query("update rate_limits set expire = expire + 7200000 where key like 'set back%'")
      expect(await createRate(two.pool, `set back ${counts}`, 1, 60, counts).take('x')).toBeNull()
      expect(await createRate(two.pool, `set back ${counts}`, 1, 60, counts).take('x')).not.toBeNull()
    }
  })

  it('refuses with the seconds to wait', async () => {
    const rate = createRate(one.pool, 'demand', 1, 30)
    await rate.demand('x')
    const refusal = await rate.demand('x').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'too-many-requests', status: 429 })
    expect(refusal).toMatchObject({
      extra: { headers: { 'retry-after': expect.stringMatching(/^([1-9]|[12]\d|30)$/) } },
    })
  })

  it('shows on every answer what is left, also on a refusal', async () => {
    const rate = createRate(one.pool, 'shown', 2, 60)
    const knock = endpoint('POST /knock', {
      realm: 'public',
      summary: 'Knocks',
      body: Type.Object({}),
      response: { 200: Type.Object({}) },
    })
    const door = await createServer({ name: 'door', logger: createLogger('test', 'silent') })
    door.on(knock).serve(async () => {
      await rate.demand('x')
      return {}
    })
    const ask = async () => {
      const { headers, statusCode } = await door.app.inject({ method: 'POST', url: '/knock', payload: {} })
      return [statusCode, headers['ratelimit-policy'], String(headers.ratelimit).replace(/t=\d+/, 't')]
    }
    const policy = '"shown";q=2;w=60'
    expect([await ask(), await ask(), await ask()]).toEqual([
      [200, policy, '"shown";r=1;t'],
      [200, policy, '"shown";r=0;t'],
      [429, policy, '"shown";r=0;t'],
    ])
    await door.close()
  })

  it('lets nobody pass where it cannot count', async () => {
    const nowhere = openDatabase<never>('postgres://nobody@127.0.0.1:18598/x', { name: 'test' })
    const failure = await createRate(nowhere.pool, 'x', 1, 1)
      .take('x')
      .catch((error: unknown) => error)
    expect(isDatabaseAway(failure)).toBe(true)
    await nowhere.close()
  })
})
