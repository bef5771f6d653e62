import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimDue } from './claim-due.ts'
import { openDatabase, type Database } from '../postgres/database.ts'

interface Tables {
  errands: { id: number }
}

let template: TestDatabase
let database: Database<Tables>
beforeAll(async () => {
  template = await testDatabase()
  database = openDatabase<Tables>(template.url, { name: 'claim-due', max: 5, onError: () => undefined })
  await sql`create table errands (id int primary key, kind text, due_at timestamptz, attempts int default 0)`.execute(
    database.db,
  )
})
afterAll(async () => {
  await database.close()
  await template.drop()
})

const fill = async () => {
  await sql`truncate errands`.execute(database.db)
  await sql`insert into errands (id, kind, due_at)
    select n, case when n % 2 = 0 then 'even' else 'odd' end, now() - n * interval '1 second'
    from generate_series(1, 20) n`.execute(database.db)
  await sql`insert into errands (id, kind, due_at) values (99, 'odd', now() + interval '1 hour')`.execute(
    database.db,
  )
}
const claim = (limit: number) =>
  claimDue<{ id: number; attempts: number }, Tables>(database.db, {
    table: 'errands',
    dueAt: 'due_at',
    leaseSeconds: 60,
    limit,
    where: sql`kind = 'odd'`,
    set: sql`attempts = attempts + 1`,
  })

describe('claiming rows that are due', () => {
  it('takes the oldest first, as many as asked for, and none that is not due', async () => {
    await fill()
    const first = await claim(3)
    expect(first.map(({ id }) => id).sort((a, b) => b - a)).toEqual([19, 17, 15])
    expect(first.every(({ attempts }) => attempts === 1)).toBe(true)
    expect(await claim(50)).toHaveLength(7)
    expect(await claim(50)).toEqual([])
  })

  it('takes at once what was planned by a clock that has been set back since, and not what a person decides', async () => {
    await fill()
    await sql`insert into errands (id, kind, due_at) values (100, 'late', now() + interval '2 hours'),
      (101, 'late', now() + interval '20 minutes'), (102, 'late', 'infinity')`.execute(database.db)
    const due = { table: 'errands', dueAt: 'due_at', leaseSeconds: 60, limit: 5, where: sql`kind = 'late'` }
    expect(await claimDue(database.db, due)).toEqual([])
    const claimed = await claimDue<{ id: number }, Tables>(database.db, { ...due, longestSeconds: 3_900 })
    expect(claimed.map(({ id }) => id)).toEqual([100])
    // Others that are due again and again, such as payouts that a bank is asked about, do not hide it.
    await sql`update errands set due_at = now() + case id when 100 then interval '2 hours' else interval '-1 second' end
      where id in (100, 101)`.execute(database.db)
    const both = await claimDue<{ id: number }, Tables>(database.db, { ...due, longestSeconds: 3_900 })
    expect(both.map(({ id }) => id)).toEqual([101, 100])
  })

  it('gives each row to one of many claimants', async () => {
    await fill()
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(2)))
    const ids = claims.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('gives a row again once its lease has ended', async () => {
    await fill()
    await claim(50)
    await sql`update errands set due_at = due_at - interval '61 seconds' where id = 19`.execute(database.db)
    expect((await claim(50)).map(({ id, attempts }) => [id, attempts])).toEqual([[19, 2]])
  })
})
