import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from './database.ts'
import { readScalar, rowsOf, scalar, together } from './scalars.ts'

let own: TestDatabase
let database: Database<unknown>
beforeAll(async () => {
  own = await testDatabase()
  database = openDatabase(own.url, { name: 'scalars', max: 1, onError: () => undefined })
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const amount = scalar(sql<string>`select 12345678901234567.1234567::text`, text => text)
const nothing = scalar(sql<number | null>`select 1 where false`, value => value)
const time = scalar(sql<string>`select '2026-03-01T12:00:00.25Z'::timestamptz`, text => new Date(text))

describe('queries of one value', () => {
  it('are read alone', async () => {
    expect(await readScalar(database.db, amount)).toBe('12345678901234567.1234567')
    expect(await readScalar(database.db, nothing)).toBeNull()
    expect(await readScalar(database.db, time)).toEqual(new Date('2026-03-01T12:00:00.250Z'))
  })

  it('are read in one query, each in its own way, and parts of them as well', async () => {
    const all = together({ amount, nothing, inner: together({ "it's": time }) })
    expect(await readScalar(database.db, all)).toEqual({
      amount: '12345678901234567.1234567',
      nothing: null,
      inner: { "it's": new Date('2026-03-01T12:00:00.250Z') },
    })
  })

  it('are of rows, too, in their order', async () => {
    const rows = rowsOf<{ n: number }>(sql`select n from generate_series(1, 3) as n order by n desc`)
    const none = rowsOf(sql`select 1 as n where false`)
    expect(await readScalar(database.db, together({ rows, none }))).toEqual({
      rows: [{ n: 3 }, { n: 2 }, { n: 1 }],
      none: [],
    })
  })
})
