import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it, onTestFinished } from 'vitest'
import { listApplied } from './applied-migrations.ts'
import { openDatabase } from './database.ts'

it('reads no more of what a database says was applied than it can hold: the newest, in order', async () => {
  const test = await testDatabase()
  const { pool, close } = openDatabase<never>(test.url, { name: 'test' })
  onTestFinished(async () => {
    await close()
    await test.drop()
  })
  await pool.query('create table schema_migrations (name text, applied_at timestamptz, release text)')
  await pool.query(
    `insert into schema_migrations
     select n || repeat('x', 500), '2026-01-01'::timestamptz + n * interval '1 second', n || repeat('y', 500)
     from generate_series(1, 10003) n`,
  )
  const applied = await listApplied(pool)
  expect(applied).toHaveLength(10_000)
  expect(applied.at(0)).toMatchObject({ name: `4${'x'.repeat(199)}`, release: `4${'y'.repeat(99)}` })
  expect(applied.at(-1)).toMatchObject({
    name: `10003${'x'.repeat(195)}`,
    at: new Date('2026-01-01T02:46:43Z'),
  })
})
