import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase, sharedMigrations } from '../postgres/database.ts'
import { ConfigError } from '../process/env.ts'
import { createLogger } from '../observe/logger.ts'
import { enqueue, sealedMessages, startOutbox } from '../work/outbox.ts'
import { sealAgain } from './seal-again.ts'
import { createSealer } from './seal.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
const both = new Map([
  [2, newer],
  [1, older],
])
let test: TestDatabase
let database: Database<never>

beforeEach(async () => {
  test = await testDatabase(sharedMigrations)
  database = openDatabase(test.url, { name: 'test' })
  const sealer = createSealer(new Map([[1, older]]))
  for (const key of ['a', 'b']) await enqueue(database.db, 'mail', key, { to: key }, sealer)
  await enqueue(database.db, 'mail', 'plain', { to: 'plain' })
})
afterEach(async () => {
  await database.close()
  await test.drop()
})
const again = (keys: Map<number, Buffer>) => sealAgain(database.pool, 'A_KEY', keys, [sealedMessages])

it('lets an older key be removed once what it encrypted is encrypted again', async () => {
  expect(await again(both)).toBe(2)
  expect(await again(new Map([[2, newer]]))).toBe(0)
  const received: unknown[] = []
  const outbox = startOutbox({
    database,
    logger: createLogger('test', 'silent'),
    sealer: createSealer(new Map([[2, newer]])),
    deliver: { mail: async ({ payload }) => void received.push(payload) },
  })
  await expect.poll(() => received).toHaveLength(3)
  await outbox.stop()
  expect(received).toEqual(expect.arrayContaining([{ to: 'a' }, { to: 'b' }, { to: 'plain' }]))
})

it('names a key that is missing, and changes nothing then', async () => {
  const sealed = async () => (await database.pool.query('select sealed from outbox order by id')).rows
  const before = await sealed()
  await expect(again(new Map([[2, newer]]))).rejects.toThrow(ConfigError)
  await expect(again(new Map([[2, newer]]))).rejects.toThrow('A_KEY lacks v1, which 2 rows of outbox need')
  expect(await sealed()).toEqual(before)
})

it('may be done by several processes at once', async () => {
  await Promise.all([again(both), again(both), again(both)])
  expect(await again(new Map([[2, newer]]))).toBe(0)
})
