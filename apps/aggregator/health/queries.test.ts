import { openDatabase, sharedMigrations } from '@windlass/service/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it } from 'vitest'
import { keepDayPartitions } from '../database/day-partitions.ts'
import { timeOrderedId } from '../ids.ts'
import { ownMigrations } from '../start.ts'
import { writeChecks } from './queries.ts'

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
