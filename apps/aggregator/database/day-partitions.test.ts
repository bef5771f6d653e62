import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it } from 'vitest'
import { ownMigrations } from '../start.ts'
import { keepDayPartitions } from './day-partitions.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 2, 1, 23, 59)
const afterDays = (days: number) => new Date(START + days * DAY_MS)

it('the checks and decisions of 30 days are kept, those before go, and there is room ahead', async () => {
  const database = await testDatabase(sharedMigrations, ownMigrations)
  const { pool, close } = openDatabase(database.url, { name: 'test' })
  const check = (at: Date) =>
    pool.query(
      `insert into health_metrics (anchor_id, checked_at, current_availability, latency_ms, batch_id)
       values ('a', $1, true, 1, gen_random_uuid())`,
      [at],
    )
  const decide = (at: Date) =>
    pool.query(
      `insert into routing_decisions (id, decided_at, snapshot_id, policy_id, weights, amount, winner, stale)
       values (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), '{}', 1, 'a', false)`,
      [at],
    )
  const days = async (table: string, column: string) =>
    (await pool.query(`select ${column} as at from ${table} order by 1`)).rows.map(({ at }) =>
      Math.round((at.getTime() - START) / DAY_MS),
    )
  for (let day = 0; day <= 40; day += 1) {
    // Twice and at once: as two processes would.
    await Promise.all([keepDayPartitions(pool, afterDays(day)), keepDayPartitions(pool, afterDays(day))])
    await check(afterDays(day))
    await decide(afterDays(day))
    await check(afterDays(day + 3))
  }
  const kept = await days('health_metrics', 'checked_at')
  expect([kept[0], kept.at(-1)]).toEqual([10, 43])
  expect(await days('routing_decisions', 'decided_at')).toEqual(Array.from({ length: 31 }, (_, n) => n + 10))
  await close()
  await database.drop()
})
