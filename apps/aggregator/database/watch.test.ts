import { createLogger } from '@windlass/service/observe/logger.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { systemClock } from '@windlass/service/work/clock.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { cuttable } from '../testing/cuttable.ts'
import { watchDatabase } from './watch.ts'

it('a database whose connections are all in use for long is there, and they are kept', async () => {
  const test = await testDatabase()
  const database = openDatabase<never>(test.url, { name: 'test', max: 1 })
  const watch = await watchDatabase(database, systemClock, createLogger('test', 'silent'), 500)
  onTestFinished(async () => {
    await watch.stop()
    await database.close()
    await test.drop()
  })
  const busy = database.pool.query('select pg_sleep(9)').then(() => 'done', String)
  const seen = new Set<boolean>()
  for (let n = 0; n < 80; n++) {
    seen.add(watch.up)
    await sleep(100)
  }
  expect(await watch.read(async () => (await database.pool.query('select 1')).rowCount)).toBeNull()
  expect([...seen]).toEqual([true])
  expect(await busy).toBe('done')
  expect(await watch.read(async () => (await database.pool.query('select 1')).rowCount)).toBe(1)
})

it('a database that silently stops to answer is away, and there again once it answers', async () => {
  const test = await testDatabase()
  const way = await cuttable(test.url)
  const database = openDatabase<never>(way.url, { name: 'test', max: 1 })
  const watch = await watchDatabase(database, systemClock, createLogger('test', 'silent'), 500)
  onTestFinished(async () => {
    await watch.stop()
    await database.close()
    await way.close()
    await test.drop()
  })
  way.freeze()
  await expect.poll(() => watch.up).toBe(false)
  way.mend()
  await expect.poll(() => watch.up).toBe(true)
})
