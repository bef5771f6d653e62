import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstDueAt } from './claim-due.ts'
import { openDatabase, type Database } from '../postgres/database.ts'
import { millisecondsUntilDue, startDueWork, type DueWorkers } from './due-work.ts'
import { createLogger } from '../observe/logger.ts'

let test: TestDatabase
let database: Database<never>
let workers: DueWorkers
/** Names of the rows that were done, in their order. */
let done: string[]
beforeEach(async () => {
  test = await testDatabase()
  database = openDatabase(test.url, { name: 'test', channels: ['due_work'] })
  await database.pool.query('create table jobs (name text, due_at timestamptz)')
  done = []
})
afterEach(async () => {
  await workers.stop()
  await database.close()
  await test.drop()
})

function start(lookEveryMs?: number): void {
  const act = async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `delete from jobs where due_at <= now() and name <> 'stuck' returning name`,
    )
    done.push(...rows.map(({ name }) => name))
  }
  const dueAt = firstDueAt({ table: 'jobs', dueAt: 'due_at' })
  const work = [{ name: 'jobs', act, dueAt, pauseMs: 50 }]
  workers = startDueWork({ database, work, logger: createLogger('test', 'silent'), lookEveryMs })
}
const add = (name: string, seconds: number) =>
  database.pool.query(`insert into jobs values ($1, to_timestamp(extract(epoch from now()) + $2::float8))`, [
    name,
    seconds,
  ])
const notify = () => database.pool.query('notify due_work')
const anHour = 3_600_000

describe('due work', () => {
  it('is done when it is due, whatever was due when it started', async () => {
    await add('overdue', -3_600)
    await add('soon', 0.3)
    await add('later', 3_600)
    start(anHour)
    await expect.poll(() => done).toEqual(['overdue', 'soon'])
    const dueAt = firstDueAt({ table: 'jobs', dueAt: 'due_at' })
    const nothing = sql<Date | null>`select null::timestamptz`
    const left = await millisecondsUntilDue(database.db, [{ dueAt: nothing }, { dueAt }])
    expect(left).toBeGreaterThan(3_000_000)
    expect(await millisecondsUntilDue(database.db, [{ dueAt: nothing }])).toBeNull()
  })

  it('that was planned by a clock that has been set back since is due now', async () => {
    start(anHour)
    await add('waits', 60)
    await add('for a person', Infinity)
    const jobs = { table: 'jobs', dueAt: 'due_at' }
    const dueAt = (longestSeconds: number) => [{ dueAt: firstDueAt({ ...jobs, longestSeconds }) }]
    expect(await millisecondsUntilDue(database.db, dueAt(3_900))).toBeGreaterThan(0)
    await add('planned', 7_200)
    expect(await millisecondsUntilDue(database.db, dueAt(3_900))).toBe(0)
    expect(await millisecondsUntilDue(database.db, dueAt(9_000))).toBeGreaterThan(0)
  })

  it('that is added is done at the notification, or at the next look where that was lost', async () => {
    start(anHour)
    await add('notified', 0)
    await notify()
    await expect.poll(() => done).toEqual(['notified'])
    await workers.stop()
    start(100)
    await add('unheard', 0)
    await expect.poll(() => done).toEqual(['notified', 'unheard'])
  })

  it('is found after every connection was killed, with or without a notification meanwhile', async () => {
    start(100)
    await expect.poll(() => database.pool.idleCount).toBeGreaterThan(0)
    const other = openDatabase(test.url, { name: 'killer', max: 1 })
    await other.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await other.pool.query(`insert into jobs values ('meanwhile', now())`)
    await other.close()
    await expect.poll(() => done).toEqual(['meanwhile'])
    await workers.stop()
    start(anHour)
    await add('afterwards', 0)
    await notify()
    await expect.poll(() => done).toEqual(['meanwhile', 'afterwards'])
  })

  it('that cannot be done yet is tried again after pauses', async () => {
    const rounds: number[] = []
    await add('stuck', -1)
    workers = startDueWork({
      database,
      logger: createLogger('test', 'silent'),
      work: [
        {
          name: 'jobs',
          act: async () => void rounds.push(performance.now()),
          dueAt: sql<Date | null>`select min(due_at) from jobs`,
          pauseMs: 50,
        },
      ],
    })
    await expect.poll(() => rounds.length).toBeGreaterThan(2)
    const gaps = rounds.slice(1).map((at, index) => at - (rounds[index] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(49)
  })

  it('that a request wakes is done at once, though its due time says otherwise', async () => {
    let rounds = 0
    const act = async () => void rounds++
    const dueAt = sql<Date | null>`select null::timestamptz`
    const work = [{ name: 'jobs', act, dueAt, pauseMs: 50 }]
    workers = startDueWork({ database, work, logger: createLogger('test', 'silent') })
    workers.wake('jobs')
    await expect.poll(() => rounds).toBe(1)
  })
})
