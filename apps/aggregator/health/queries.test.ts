import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it } from 'vitest'
import { keepDayPartitions } from '../database/day-partitions.ts'
import { timeOrderedId } from '../ids.ts'
import { ownMigrations } from '../start.ts'
import { countDays, daysOf, writeChecks } from './queries.ts'
import type { Tables } from '../tables.ts'

it('a batch of checks is written without reading those of the day, whatever the database knows of their batches', async () => {
  const database = await testDatabase(sharedMigrations, ownMigrations)
  const { pool, close } = openDatabase(database.url, { name: 'test', max: 1 })
  const now = new Date()
  await keepDayPartitions(pool, now)
  await pool.query(
    `insert into health_metrics (anchor_id, checked_at, current_availability, latency_ms, batch_id)
     select 'a', $1, true, 1, $2 from generate_series(1, 5000)`,
    [now, timeOrderedId(now)],
  )
  await pool.query('analyze health_metrics')
  const rowsRead = async (): Promise<number> => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      `select sum(seq_tup_read)::int as read from pg_stat_user_tables where relname like 'health_metrics%'`,
    )
    return rows[0]?.read
  }
  // Here Postgres itself chooses, as in production: packages/testing/throwaway-postgres.ts takes the choice away.
  await pool.query('set plan_cache_mode = auto')
  const before = await rowsRead()
  // A statement that is prepared gets a plan for any batch after five executions.
  for (let batch = 0; batch < 7; batch += 1) {
    const check = { anchorId: 'a', checkedAt: now, available: true, latencyMs: 1 }
    await writeChecks(pool, [check], timeOrderedId(now))
  }
  expect((await rowsRead()) - before).toBe(0)
  await close()
  await database.drop()
})

it('days are counted once each, however often, and last longer than the checks', async () => {
  const database = await testDatabase(sharedMigrations, ownMigrations)
  const { db, pool, close } = openDatabase<Tables>(database.url, { name: 'test', max: 3 })
  const now = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 + 6 * 3_600_000)
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const day = (hours: number) => ago(hours).toISOString().slice(0, 10)
  await keepDayPartitions(pool, now)
  const check = (hours: number, good: boolean, latency: number) =>
    pool.query(
      `insert into health_metrics (anchor_id, checked_at, current_availability, latency_ms, batch_id)
       values ('a', $1, $2, $3, $4)`,
      [ago(hours), good, latency, timeOrderedId(now)],
    )
  await check(27, true, 100)
  await check(26, false, 300)
  await check(5, true, 40)
  // Not complete yet.
  await check(0.5, false, 60)
  const expected = [
    { day: day(26), good: 1, checks: 2, latency_ms: 200 },
    { day: day(5), good: 1, checks: 2, latency_ms: 50 },
  ]
  expect(await daysOf(db, 'a', now)).toEqual(expected)
  await Promise.all([countDays(db, now), countDays(db, now)])
  await countDays(db, now)
  expect(await daysOf(db, 'a', now)).toEqual(expected)
  await pool.query('delete from health_metrics where checked_at < $1', [ago(10)])
  expect(await daysOf(db, 'a', now)).toEqual(expected)
  const later = new Date(now.getTime() + 90 * 86_400_000)
  await pool.query('update health_counted set until = $1', [later])
  await countDays(db, later)
  expect(await daysOf(db, 'a', later)).toEqual([])
  expect((await pool.query('select 1 from health_days')).rowCount).toBe(1)
  await close()
  await database.drop()
})
