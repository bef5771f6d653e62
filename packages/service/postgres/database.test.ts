import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { OWN_RELEASE } from './applied-migrations.ts'
import { TooManyWaiting } from './turns.ts'
import { brokenUnique, databaseTime, migrate, openDatabase, type Database } from './database.ts'
import { isDatabaseAway } from '../observe/outage.ts'

it('a connection that dies within a transaction is an outage, and nothing that brings the process down', async () => {
  const url = inject('postgresUrl')
  const victim = openDatabase<never>(url, { name: 'victim' })
  const other = openDatabase<never>(url, { name: 'other' })
  // Vitest fails the run on an uncaught error, which an unheard 'error' event of the client would be.
  const failure = await victim.db
    .transaction()
    .execute(async tx => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      const broken = new Promise(resolve => setTimeout(resolve, 100))
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db)
      await broken
      await sql`select 1`.execute(tx)
    })
    .catch((error: unknown) => error)
  expect(isDatabaseAway(failure)).toBe(true)
  expect((await sql`select 1`.execute(victim.db)).rows).toHaveLength(1)
  await Promise.all([victim.close(), other.close()])
})

it.runIf(process.platform === 'linux')(
  'a machine that disappears without closing its connections holds its locks for half a minute at most',
  async () => {
    const database = openDatabase<never>(inject('postgresUrl'), { name: 'lost machines' })
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name like 'tcp\\_%'`.execute(database.db)
    await database.close()
    const of = (name: string) => Number(rows.find(row => row.name === `tcp_${name}`)?.setting)
    const silentSeconds = of('keepalives_idle') + of('keepalives_interval') * of('keepalives_count')
    // Zero stands for the system's own, which is hours.
    expect([of('keepalives_idle'), of('user_timeout')]).not.toContain(0)
    expect(silentSeconds).toBeLessThanOrEqual(30)
    expect(of('user_timeout')).toBeLessThanOrEqual(30_000)
  },
)

describe('a pool that listens', () => {
  afterEach(() => void vi.useRealTimers())
  const looks = (database: Database<never>, count: number, seconds = 0) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        for (let n = 0; n < 3; n++) await sql`select pg_sleep(${seconds})`.execute(database.db)
      }),
    )

  it('serves several at once with one connection, and with more where that one is busy', async () => {
    const database = openDatabase<never>(inject('postgresUrl'), { name: 'few', max: 3, channels: ['few'] })
    let connected = 0
    database.pool.on('connect', () => (connected += 1))
    await sql`select 1`.execute(database.db)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    for (let round = 0; round < 3; round++) await looks(database, 4)
    expect(connected).toBe(1)
    vi.useRealTimers()
    await looks(database, 5, 0.1)
    expect(connected).toBe(3)
    await database.close()
  })

  it('serves many that come without a pause with all its connections', async () => {
    const database = openDatabase<never>(inject('postgresUrl'), { name: 'few', max: 3, channels: ['few'] })
    await sql`select 1`.execute(database.db)
    // No time passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    for (let round = 0; round < 20; round++) await looks(database, 4)
    expect(database.pool.totalCount).toBe(3)
    vi.useRealTimers()
    await database.close()
  })

  it('says that notifications may have been missed only where no connection listened meanwhile', async () => {
    const database = openDatabase<never>(inject('postgresUrl'), { name: 'few', max: 2, channels: ['few'] })
    const received: (string | null)[] = []
    database.notifications.on('received', channel => received.push(channel))
    await looks(database, 2, 0.1)
    expect([database.pool.totalCount, received]).toEqual([2, [null]])
    const other = openDatabase<never>(inject('postgresUrl'), { name: 'other' })
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'few'`.execute(
      other.db,
    )
    await expect.poll(() => database.pool.totalCount).toBe(0)
    await sql`select 1`.execute(database.db)
    expect(received).toEqual([null, null])
    await sql`notify few`.execute(other.db)
    await expect.poll(() => received).toEqual([null, null, 'few'])
    await Promise.all([database.close(), other.close()])
  })
})

describe('migrations', () => {
  let folder: string
  let test: TestDatabase
  let database: Database<never>
  const file = (name: string, text: string) => writeFile(join(folder, name), text)
  const names = async () =>
    (
      await database.pool.query<{ name: string }>('select name from schema_migrations order by name')
    ).rows.map(row => row.name)

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windlass-migrate-'))
    test = await testDatabase()
    database = openDatabase(test.url, { name: 'test' })
  })
  afterEach(async () => {
    await database.close()
    await test.drop()
    await rm(folder, { recursive: true })
  })

  it('are applied in order, once, and new ones later', async () => {
    await file('0002-b.sql', 'insert into a values (1)')
    await file('0001-a.sql', 'create table a (n integer)')
    await migrate(database.pool, [folder])
    await file('0003-c.sql', 'insert into a values (2)')
    await migrate(database.pool, [folder])
    expect((await database.pool.query('select n from a order by n')).rows).toEqual([{ n: 1 }, { n: 2 }])
    expect(await names()).toEqual(['0001-a.sql', '0002-b.sql', '0003-c.sql'])
  })

  it('run once when many processes start at the same time', async () => {
    await file('0001-a.sql', 'create table a (n integer); insert into a select 1 from pg_sleep(0.1)')
    const starts = Array.from({ length: 6 }, async () => {
      const own = openDatabase<never>(test.url, { name: 'starter', max: 1 })
      await migrate(own.pool, [folder]).finally(() => own.close())
    })
    await Promise.all(starts)
    expect((await database.pool.query('select n from a')).rows).toHaveLength(1)
  })

  it('that were edited after they were applied stop the start and change nothing', async () => {
    await file('0001-a.sql', 'create table a (n integer)')
    await migrate(database.pool, [folder])
    await file('0001-a.sql', 'create table a (n bigint)')
    await file('0002-b.sql', 'create table b (n integer)')
    await expect(migrate(database.pool, [folder])).rejects.toThrow(/0001-a.sql was edited/)
    expect(await names()).toEqual(['0001-a.sql'])
  })

  it('that fail leave nothing of themselves, keep what came before, and hold up nobody', async () => {
    await file('0001-a.sql', 'create table a (n integer)')
    await file('0002-b.sql', 'create table b (n integer); select 1/0')
    await expect(migrate(database.pool, [folder])).rejects.toThrow(/0002-b.sql failed: division by zero/)
    expect(await names()).toEqual(['0001-a.sql'])
    await file('0002-b.sql', 'create table b (n integer)')
    await migrate(database.pool, [folder])
    expect(await names()).toEqual(['0001-a.sql', '0002-b.sql'])
  })

  it('that wait for a transaction which waits for them begin again once it is over', async () => {
    await file('0001-a.sql', 'create table a (n integer); create table b (n integer)')
    await migrate(database.pool, [folder])
    await file('0002-b.sql', 'alter table a add column m integer; alter table b add column m integer')
    const other = await database.pool.connect()
    // The migration is the one that Postgres ends.
    await other.query("set deadlock_timeout = '1min'")
    await other.query('begin; lock table b')
    const migrated = migrate(database.pool, [folder])
    await vi.waitFor(async () => {
      const waiting = "select from pg_locks where not granted and relation = 'b'::regclass"
      expect((await database.pool.query(waiting)).rows).toHaveLength(1)
    })
    await other.query('select from a')
    await other.query('commit; reset deadlock_timeout')
    other.release()
    await migrated
    expect(await names()).toEqual(['0001-a.sql', '0002-b.sql'])
  })

  it('that this release does not know stop its start, by the name of the release that made them', async () => {
    await file('0001-a.sql', 'create table a (n integer)')
    await file('0003-c.sql', 'create table c (n integer)')
    await migrate(database.pool, [folder])
    await database.pool.query("update schema_migrations set release = '9.0.0' where name = '0003-c.sql'")
    await rm(join(folder, '0003-c.sql'))
    await file('0002-b.sql', 'create table b (n integer)')
    await expect(migrate(database.pool, [folder])).rejects.toThrow(
      /migrated by release 9\.0\.0 \(0003-c\.sql, 20.*Start release 9\.0\.0 or a later one/,
    )
    expect(await names()).toEqual(['0001-a.sql', '0003-c.sql'])
    // Where an upgrade of an anchor was not completed.
    await migrate(database.pool, [folder], { mayBeNewer: true })
    expect(await names()).toEqual(['0001-a.sql', '0002-b.sql', '0003-c.sql'])
  })

  it('of a release before the table said which one it is are known, and new ones say it', async () => {
    await database.pool.query(
      'create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz default now())',
    )
    await file('0001-a.sql', 'create table a (n integer)')
    await database.pool.query("insert into schema_migrations values ('0000-gone.sql', '')")
    await expect(migrate(database.pool, [folder])).rejects.toThrow('a later release (0000-gone.sql')
    await database.pool.query('delete from schema_migrations')
    await migrate(database.pool, [folder])
    const { rows } = await database.pool.query('select name, release from schema_migrations')
    expect(rows).toEqual([{ name: '0001-a.sql', release: OWN_RELEASE }])
  })

  it('leave the time limit of statements as it was', async () => {
    const one = openDatabase<never>(test.url, { name: 'one', max: 1 })
    await migrate(one.pool, [folder])
    expect((await one.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }])
    await one.close()
  })
})

describe('a database', () => {
  it('gives exact numbers as text and tells which constraint was broken', async () => {
    const test = await testDatabase()
    const database = openDatabase<never>(test.url, { name: 'test' })
    await database.pool.query('create table t (n numeric(19,7), constraint t_once unique (n))')
    await database.pool.query("insert into t values ('0.1000000')")
    expect((await database.pool.query('select n, 9007199254740993::int8 as big from t')).rows).toEqual([
      { n: '0.1000000', big: '9007199254740993' },
    ])
    const error = await database.pool.query('insert into t values (0.1)').catch((e: unknown) => e)
    expect(brokenUnique(error)).toBe('t_once')
    expect(brokenUnique(new Error('other'))).toBeNull()
    expect(await databaseTime(database.db)).toBeInstanceOf(Date)
    await database.close()
    await test.drop()
  })

  it('lets a burst wait for its few connections, and refuses only what is beyond a bound', async () => {
    const test = await testDatabase()
    const database = openDatabase<never>(test.url, { name: 'test', max: 2 })
    const slow = [1, 2].map(() => database.pool.query('select pg_sleep(6)'))
    const one = () => sql<{ one: number }>`select 1 as one`.execute(database.db)
    const burst = Array.from({ length: 1_100 }, () => one().catch((error: unknown) => error))
    const inTransaction = database.db.transaction().execute(tx => sql`select 2`.execute(tx))
    await expect(inTransaction).rejects.toBeInstanceOf(TooManyWaiting)
    expect(database.pool.waitingCount).toBe(1_000)
    const answers = await Promise.all(burst)
    expect(answers.filter(each => each instanceof TooManyWaiting)).toHaveLength(100)
    expect(answers.filter(each => !(each instanceof Error))).toHaveLength(1_000)
    await Promise.all(slow)
    // None was lost, and failures give theirs back.
    for (let n = 0; n < 5; n++) await expect(sql`select 1 / 0`.execute(database.db)).rejects.toThrow('zero')
    expect((await Promise.all([one(), one(), one()])).map(({ rows }) => rows[0]?.one)).toEqual([1, 1, 1])
    expect([database.pool.waitingCount, database.pool.totalCount]).toEqual([0, 2])
    await database.close()
    await test.drop()
  }, 20_000)

  it('of a database that is not there fails at once for all who wait', async () => {
    const database = openDatabase<never>('postgres://nobody@127.0.0.1:1/none', { name: 'test', max: 1 })
    const asked = [1, 2, 3].map(() => database.pool.query('select 1').catch((error: unknown) => error))
    expect((await Promise.all(asked)).map(isDatabaseAway)).toEqual([true, true, true])
    await database.close()
  })

  it('prepares statements where it is asked to, and continues when a table is changed beneath them', async () => {
    const test = await testDatabase()
    const database = openDatabase<never>(test.url, { name: 'test', max: 1, prepared: true })
    await database.pool.query('create table t (n integer)')
    await database.pool.query('insert into t values (1), (2)')
    const ask = () => sql`select * from t where n = ${2}`.execute(database.db)
    const prepared = () => database.pool.query('select 1 from pg_prepared_statements')
    expect((await ask()).rows).toEqual([{ n: 2 }])
    expect((await ask()).rows).toEqual([{ n: 2 }])
    expect((await prepared()).rowCount).toBe(1)
    await database.pool.query('alter table t add column m integer')
    expect((await ask()).rows).toEqual([{ n: 2, m: null }])
    expect((await ask()).rows).toEqual([{ n: 2, m: null }])
    await expect(sql`select ${1}::integer / 0`.execute(database.db)).rejects.toThrow('division by zero')
    await database.close()
    await test.drop()
  })

  it('prepares what asks for all columns only where no transaction would fail by a migration', async () => {
    const test = await testDatabase()
    const database = openDatabase<never>(test.url, { name: 'test', max: 1, prepared: true })
    await database.pool.query('create table u (n integer)')
    const ask = (tx = database.db) =>
      [
        ...[sql`select * from u where n = ${1}`, sql`insert into u values (${1}) returning *`],
        ...[sql`select n from u where n = ${1}`, sql`select count(*) from u where n = ${1}`],
      ].reduce(async (before, each) => (await before, each.execute(tx)), Promise.resolve<unknown>(null))
    const prepared = async () => {
      const { rows } = await database.pool.query('select statement from pg_prepared_statements order by 1')
      return rows.map(({ statement }) => statement as string).filter(text => !/^(begin|commit)$/.test(text))
    }
    await database.db.transaction().execute(tx => ask(tx))
    const named = ['select count(*) from u where n = $1', 'select n from u where n = $1']
    expect(await prepared()).toEqual(named)
    await ask()
    expect(await prepared()).toEqual([
      ...['insert into u values ($1) returning *', 'select * from u where n = $1', ...named],
    ])
    await database.pool.query('alter table u add column m integer')
    await database.db.transaction().execute(tx => ask(tx))
    await ask()
    expect((await sql`select * from u`.execute(database.db)).rows).toHaveLength(4)
    await database.close()
    await test.drop()
  })

  it('that cannot be reached is an outage', async () => {
    const nowhere = openDatabase<never>('postgres://nobody@127.0.0.1:18598/x', { name: 'test' })
    const error = await nowhere.pool.query('select 1').catch((e: unknown) => e)
    expect(isDatabaseAway(error)).toBe(true)
    await nowhere.close()
  })
})
