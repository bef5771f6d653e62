import { expect, it } from 'vitest'
import { refusedLines } from './lint-lines.ts'

const refused = [
  'db.transaction().execute(async tx => { await tests.demand(anchorId); await act(tx) })',
  'db.transaction().execute(async () => deps.rate.demandQuietly(anchorId))',
  "db.transaction().setIsolationLevel('serializable').execute(async tx => ((await rate.take(key)) === null ? act(tx) : null))",
  'db.transaction().execute(tx => act(tx, deps.database.db))',
  "db.transaction().execute(tx => each.map(() => deps.database.pool.query('select 1')))",
  'async (deps, tx) => { if ((await rate.take(key)) === null) await act(tx) }',
  'function (tx) { return createLimit(pool) }',
]
const allowed = [
  'async () => { await tests.demand(anchorId); await db.transaction().execute(tx => act(tx)) }',
  'db.transaction().execute(tx => act({ ...deps, database: { ...database, db: tx } }))',
  'db.transaction().execute(async tx => { rows.take(); await tx.selectFrom("a").execute() })',
  'stages.execute(async () => rate.demand(key))',
  'async (deps, db) => rate.demand(key)',
]

it('nobody waits for another connection in a transaction: no rate is taken there, and the database is not asked beside it', async () => {
  expect(await refusedLines('nested-connections/before-transactions', [...refused, ...allowed])).toEqual(
    refused,
  )
})
