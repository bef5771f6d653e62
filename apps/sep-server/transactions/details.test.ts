import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSepApp, type SepApp } from '../testing/sep-app.ts'
import type { Transaction } from '../tables.ts'
import { sealWhenKeysChange } from '../sealed-columns.ts'
import { forgetOldDetails, openDetails, sealDetails, sealedDetails } from './details.ts'
import { findTransaction } from './transactions.ts'

let app: SepApp
beforeAll(async () => {
  app = await startSepApp()
})
afterAll(() => app.close())

const ID = '7b0f3c1e-0000-4000-8000-000000000001'
const OTHER = '7b0f3c1e-0000-4000-8000-000000000002'
const insert = (id: string, fields: object) =>
  app.deps.database.pool.query(
    `insert into transactions (id, sep, kind, status, account, fields)
     values ($1, '6', 'withdrawal', 'completed', 'G', $2)`,
    [id, JSON.stringify(fields)],
  )
const read = async (id: string): Promise<Transaction> => {
  const row = await findTransaction(app.deps.database.db, id)
  if (!row) throw new Error('the transaction is gone')
  return row
}

const rotate = (keys: Map<number, Buffer>) =>
  sealAgain(app.deps.database.pool, 'DETAILS_KEY', keys, [sealedDetails])

it('encrypts what an earlier release wrote, keeps only the destination, and follows a new key', async () => {
  await insert(ID, { dest: '1234567890', first_name: 'Plantedfirstname' })
  await insert(OTHER, { dest: 'planted@okbank' })
  await rotate(app.deps.config.detailsKeys)
  expect(
    await findTexts(app.deps.database.url, ['1234567890', 'Plantedfirstname', 'planted@okbank']),
  ).toEqual([])
  expect(openDetails(app.deps.sealer, await read(ID))).toEqual({ dest: '1234567890' })

  const detailsKeys = new Map([[2, Buffer.alloc(32, 8)], ...app.deps.config.detailsKeys])
  await rotate(detailsKeys)
  const onlyNew = createSealer(new Map([[2, Buffer.alloc(32, 8)]]))
  expect(openDetails(onlyNew, await read(ID))).toEqual({ dest: '1234567890' })

  // Moved to another row, the bytes do not open.
  await app.deps.database.pool.query(
    'update transactions set details = (select details from transactions where id = $1) where id = $2',
    [ID, OTHER],
  )
  const moved = await read(OTHER)
  expect(() => openDetails(onlyNew, moved)).toThrow()
})

it('does so once a release or key is ten minutes old, whatever was stopped in between', async () => {
  const left = async () =>
    (await app.deps.database.pool.query("select 1 from transactions where fields <> '{}'")).rowCount
  await app.deps.database.pool.query('delete from transactions')
  await insert(ID, { dest: '1234567890' })
  await sealWhenKeysChange(app.deps)
  expect(await left()).toBe(1)
  await app.deps.database.pool.query("update sealing set since = since - interval '10 minutes'")
  await sealWhenKeysChange(app.deps)
  expect(await left()).toBe(0)
})

it('forgets where withdrawals went that ended 400 days ago, and keeps that of those that are under way', async () => {
  const { deps } = app
  const ids = ['old', 'newer', 'open'].map((_, index) => `7b0f3c1e-0000-4000-8000-00000000001${index}`)
  for (const id of ids) {
    await insert(id, {})
    const details = sealDetails(deps.sealer, id, { dest: 'planted@okbank' })
    await deps.database.pool.query('update transactions set details = $2 where id = $1', [id, details])
  }
  const [old = '', newer = '', open = ''] = ids
  await deps.database.pool.query(
    `update transactions set updated_at = now() - case id when $2 then interval '399 days' else interval '401 days' end,
       status = case id when $3 then 'pending_anchor' else status end where id in ($1, $2, $3)`,
    [old, newer, open],
  )
  await forgetOldDetails(deps)
  expect((await read(old)).details).toBeNull()
  for (const id of [newer, open])
    expect(openDetails(deps.sealer, await read(id))).toEqual({ dest: 'planted@okbank' })
})

it('forgets a few at once, and waits for nobody who holds one of them', async () => {
  const { pool } = app.deps.database
  await pool.query('delete from transactions')
  await pool.query(`insert into transactions (id, sep, kind, status, account, fields, updated_at)
    select gen_random_uuid(), '6', 'withdrawal', 'completed', 'G', '{"dest": "1"}', now() - interval '500 days'
    from generate_series(1, 1200)`)
  await pool.query(`create table changes (rows int);
    create function count_changes() returns trigger language plpgsql as $$
    begin insert into changes select count(*) from changed; return null; end $$;
    create trigger counted after update on transactions referencing new table as changed
      for each statement execute function count_changes()`)
  const left = async () => (await pool.query("select 1 from transactions where fields <> '{}'")).rowCount
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select from transactions order by id limit 1 for update')
  await forgetOldDetails(app.deps)
  expect(await left()).toBe(1)
  await other.query('rollback')
  other.release()
  await forgetOldDetails(app.deps)
  expect(await left()).toBe(0)
  const { rows } = await pool.query<{ rows: number }>('select rows from changes')
  expect(rows.map(each => each.rows)).toEqual([500, 500, 199, 1])
})
