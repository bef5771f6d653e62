import { sql } from 'kysely'
import { expect, inject, it } from 'vitest'
import { compiled } from './compiled.ts'
import { type Db, openDatabase } from './database.ts'

it('a query that is built once is sent with the values of each call, in a transaction too', async () => {
  const database = openDatabase<never>(inject('postgresUrl'), { name: 'compiled' })
  let built = 0
  const both = compiled((db: Db<never>, { one, other }: { one: string; other: string | null }) => {
    built++
    const columns = [sql<string>`${one}::text`.as('one'), sql<string | null>`${other}::text`.as('other')]
    return db.selectNoFrom([...columns, sql<string>`${'same'}::text`.as('same')])
  })
  const { db } = database
  expect(await both(db, { one: 'a', other: 'b' })).toEqual([{ one: 'a', other: 'b', same: 'same' }])
  expect(await db.transaction().execute(tx => both(tx, { one: 'c', other: null }))).toEqual([
    { one: 'c', other: null, same: 'same' },
  ])
  expect(built).toBe(1)
  await database.close()
})
