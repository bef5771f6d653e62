import { openDatabase, type Database } from '@windlass/service/postgres/database.ts'
import { isDatabaseAway } from '@windlass/service/observe/outage.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import pg from 'pg'
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
    // Postgres says that it closes a connection before it releases what the connection held.
    await expect.poll(runs).toBe(true)
  })
  expect(isDatabaseAway(await holder.catch((error: unknown) => error))).toBe(true)
  expect(await runs()).toBe(true)
})

it('waits for its turn for longer than a statement may take', async () => {
  const pool = new pg.Pool({ connectionString: test.url, statement_timeout: 100 })
  const waitingSince = async () => {
    const { rows } = await database.pool.query<{ at: string | null }>(
      "select max(query_start)::text as at from pg_stat_activity where query like 'select held from pg_advisory_lock%'",
    )
    return rows[0]?.at
  }
  const done: string[] = []
  const release = Promise.withResolvers<void>()
  const first = alone({ database }, key, async () => {
    await release.promise
    done.push('first')
  })
  await expect.poll(runs).toBe(false)
  const second = alone({ database: { pool } }, key, async () => void done.push('second'), { wait: true })
  await expect.poll(waitingSince).not.toBe(null)
  const since = await waitingSince()
  await expect.poll(waitingSince).not.toBe(since)
  release.resolve()
  await Promise.all([first, second])
  expect(done).toEqual(['first', 'second'])
  await pool.end()
})
