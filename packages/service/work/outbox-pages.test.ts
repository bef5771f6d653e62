import { pagesRead, recordStatements } from '@windlass/testing/statements.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLogger } from '../observe/logger.ts'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { startOutbox } from './outbox.ts'

let test: TestDatabase
let database: Database<never>
let client: pg.Client
beforeEach(async () => {
  test = await testDatabase(sharedMigrations)
  database = openDatabase(test.url, { name: 'test' })
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await database.close()
  await test.drop()
})

/** `lane`: of the message that is number `n`. */
async function wait(from: number, to: number, lane: string): Promise<void> {
  await client.query(`insert into outbox (topic, key, payload, lane)
    select 'mail', n, '{}', ${lane} from generate_series(${from}, ${to}) n`)
  await client.query('analyze outbox')
}

/** The pages that taking one's share reads, the first time, and how many messages were taken. */
async function take(): Promise<{ pages: number; taken: number }> {
  const recorded = recordStatements()
  let taken = 0
  const deliver = async () => {
    taken += 1
    // What was taken already is delivered; nothing is taken after it.
    void outbox.stop()
    throw new Error('not now')
  }
  const logger = createLogger('test', 'silent')
  const outbox = startOutbox({ database, logger, deliver: { mail: deliver }, looks: false })
  await outbox.drain()
  recorded.stop()
  await client.query('update outbox set next_at = created_at, attempts = 0 where attempts > 0')
  await client.query('analyze outbox')
  const [first] = recorded.statements.filter(({ text }) => text.includes('skip locked'))
  return { pages: first ? await pagesRead(client, [first]) : NaN, taken }
}

it.each([
  ['in no lane', 'null'],
  ['in ten lanes', "n % 10 || '.example'"],
  ['each in a lane of its own', "n || '.example'"],
])(
  'a take reads no more pages where a hundred thousand messages wait %s',
  async (_, lane) => {
    await wait(1, 10_000, lane)
    const few = await take()
    await wait(10_001, 100_000, lane)
    const many = await take()
    expect(few.taken).toBeGreaterThan(0)
    expect(many.taken).toBe(few.taken)
    // A tree of ten times as many rows may be a level deeper, for each lane that is looked at.
    expect(many.pages).toBeLessThan(few.pages * 1.5 + 10)
    expect(many.pages).toBeLessThan(2_500)
  },
  120_000,
)

it('comes to every lane, where more wait than a take looks at', async () => {
  await wait(1, 1_000, "n || '.example'")
  const received = new Set<string>()
  const deliver = async ({ key }: { key: string }) => void received.add(key)
  const logger = createLogger('test', 'silent')
  const outbox = startOutbox({ database, logger, deliver: { mail: deliver }, looks: false })
  await outbox.drain()
  await expect.poll(() => received.size).toBe(1_000)
  await outbox.stop()
})
