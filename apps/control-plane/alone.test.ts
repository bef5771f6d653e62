import { openDatabase, type Database } from '@windlass/service/database.ts'
import { isDatabaseAway } from '@windlass/service/outage.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { alone } from './alone.ts'
import type { Tables } from './tables.ts'

const key = { of: 'anchor', id: 'a' } as const
let test: TestDatabase
let database: Database<Tables>
beforeAll(async () => {
  test = await testDatabase()
  database = openDatabase<Tables>(test.url, { name: 'alone', max: 3 })
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

const runs = () => alone({ database }, key, async () => undefined)

it('work under one key runs once at a time, and again after it failed', async () => {
  const failure = alone({ database }, key, async () => {
    expect(await runs()).toBe(false)
    expect(await alone({ database }, { ...key, id: 'b' }, async () => undefined)).toBe(true)
    throw new Error('it failed')
  })
  await expect(failure).rejects.toThrow('it failed')
  expect(await runs()).toBe(true)
})

it('work whose lock is lost with its connection is aborted, and another may run', async () => {
  const aborted = Promise.withResolvers<void>()
  const holder = alone({ database }, key, async lost => {
    lost.addEventListener('abort', () => aborted.resolve())
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
    )
    await aborted.promise
    expect(await runs()).toBe(true)
  })
  expect(isDatabaseAway(await holder.catch((error: unknown) => error))).toBe(true)
  expect(await runs()).toBe(true)
})
